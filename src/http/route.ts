import type { z } from "@hono/zod-openapi";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { dryRunContext } from "../services/documents/dry-run.ts";
import type { RequestClass } from "../services/cluster.ts";
import { parseJson, validate } from "../payload.ts";
import { isOn } from "../wire/common/query.ts";
import { hasLines, readJsonBytes } from "./body.ts";
import type { Call } from "./call.ts";

export type Method = "get" | "post" | "patch" | "put" | "delete";

/** An access check: returns the grant that the operations of a route require, or throws the refusal. */
export interface AccessCheck<G> {
  /** For the OpenAPI description: "Owners of the document." */
  readonly about: string;
  /** The class of requests that this check is for; see `classOf`. */
  readonly requestClass?: RequestClass;
  /** True for responses that last until the client disconnects. */
  readonly isStream?: boolean;
  /** True if `?showRemoved=1` includes the trash for requests with this method. */
  showsRemoved?(method: string): boolean;
  /** Possible statuses of refusals, for the OpenAPI description. */
  readonly statuses: readonly (401 | 403 | 404 | 429)[];
  /** @param body parsed but not validated; for checks that depend on the body */
  check(call: Call, params: Readonly<Record<string, string>>, body: object): G;
  /** Called when the request has ended, whatever its result. */
  done?(call: Call): void;
}

/** How a route reads its body; created by the functions below. */
export interface BodySpec<B> {
  readonly kind: "json" | "bytes" | "upload";
  readonly schema: z.ZodType;
  /** For uploads: JSON is accepted as an alternative and also read by the handler. */
  readonly json?: z.ZodType;
  /** For bytes: `application/x-ndjson` is accepted as an alternative, and read by the handler as a stream. */
  readonly lines?: z.ZodType;
  /** The type that the handler receives, for the compiler only. */
  readonly gives?: B;
}

/** Parsed by the route, and validated after the access check. */
export const jsonBody = <S extends z.ZodType>(schema: S): BodySpec<z.infer<S>> => ({ kind: "json", schema });

/** Passed on as bytes and parsed by the document's worker; the schema is for the OpenAPI description. */
export const bytesBody = (schema: z.ZodType): BodySpec<Uint8Array | null> => ({ kind: "bytes", schema });

/** As `bytesBody`; `lines` describes a line of the alternative, NDJSON. */
export const bytesOrLinesBody = (schema: z.ZodType, lines: z.ZodType): BodySpec<Uint8Array | null> => ({
  kind: "bytes",
  schema,
  lines,
});

/** multipart/form-data, read by the handler as a stream; the schema is for the OpenAPI description. */
export const uploadBody = (schema: z.ZodType): BodySpec<null> => ({ kind: "upload", schema });

/** multipart/form-data or JSON; the handler distinguishes and reads them. */
export const uploadOrJsonBody = (upload: z.ZodType, json: z.ZodType): BodySpec<null> => ({
  kind: "upload",
  schema: upload,
  json,
});

/** A response that is a file. */
export interface FileResponseSpec {
  /** Its media type, or several if it depends on the request. */
  readonly type: string | readonly string[];
  readonly about: string;
  /** The schema of JSON responses to requests that do not ask for a file. */
  readonly json?: z.ZodType;
}

export interface RouteSpec<P, Q, B, G> {
  readonly method: Method;
  /** `/api/docs/{docId}/tables`; fixed segments are matched in any case. */
  readonly path: string;
  /** Unique name of the operation, in camel case. */
  readonly id: string;
  readonly tag: string;
  /** A short summary. */
  readonly summary: string;
  /** Details beyond the summary. */
  readonly about?: string;
  readonly access: AccessCheck<G>;
  /** The class of its requests, where it does not follow from access check and method; see `classOf`. */
  readonly requestClass?: RequestClass;
  /** Path parameters; validated after the access check, which reads them unvalidated. */
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** Headers that the route reads, for the OpenAPI description. */
  readonly headers?: z.ZodType;
  readonly body?: BodySpec<B>;
  /** True for work on whole files or with other servers, which gets a longer timeout. */
  readonly isLong?: boolean;
  /**
   * True for a write of a document's content that `?dryrun=1` turns into a dry run: the handler gets a context whose
   * documents report what they would do, and do not change.
   */
  readonly dryRun?: true;
  /** Refuses requests before existence and access are checked. */
  readonly early?: (body: object, params: Readonly<Record<string, string>>) => void;
  /**
   * The response of status 200: a schema for JSON, or a media type with a description; null for a route that always
   * refuses.
   */
  readonly response: z.ZodType | FileResponseSpec | null;
  /** The schema of the response of status 200 for clients that accept `application/x-ndjson`, as text. */
  readonly lines?: z.ZodType;
  /** The schema of responses with status 202: the work continues after the response. */
  readonly accepted?: z.ZodType;
  /** Descriptions of other responses, by status, for the OpenAPI description. */
  readonly further?: Readonly<Record<number, string>>;
}

export interface HandlerInput<P, Q, B, G> {
  readonly call: Call;
  readonly ctx: Call["ctx"];
  readonly grant: G;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

/** A route as the server mounts it: its contract and its request handler. */
export interface Route {
  readonly spec: RouteSpec<unknown, unknown, unknown, unknown>;
  run(call: Call, params: Readonly<Record<string, string>>): Promise<Response>;
}

/**
 * Returns which node of a cluster answers the requests of a route. The content of a document is its owner's; whatever else
 * changes something writes home, unless the route says otherwise.
 */
export const classOf = ({
  method,
  access,
  requestClass,
}: Pick<Route["spec"], "method" | "access" | "requestClass">): RequestClass =>
  requestClass ?? access.requestClass ?? (method === "get" ? "anywhere" : "home");

type Params = Readonly<Record<string, string>>;
const NO_PARAMS: Params = {};

/**
 * Joins a contract and its handler. The order of checks is the same for all routes: body (size, type, syntax),
 * prechecks, existence and access, schema, handler. With `bytes`, the worker checks the syntax; it is checked here only
 * if access is refused, so that broken JSON is 400 for every caller without parsing valid bodies twice.
 */
export function route<P = Params, Q = Record<string, never>, B = undefined, G = unknown>(
  spec: RouteSpec<P, Q, B, G>,
  handle: (input: HandlerInput<P, Q, B, G>) => Promise<Response> | Response,
): Route {
  const { access, body } = spec;
  const paramsOf = spec.params && cachedByText(spec.params, "path");
  const queryOf = spec.query && cachedByText(spec.query, "query");
  return {
    spec,
    async run(call, rawParams) {
      call.accounting.template = spec.path;
      const isStreamed = body?.kind === "upload" || (body?.lines !== undefined && hasLines(call));
      const bytes = body && !isStreamed ? await readJsonBytes(call) : null;
      const parsed = body?.kind === "json" ? parseJson(bytes) : undefined;
      if (parsed && spec.early) spec.early(parsed, rawParams);
      const grant = checkAccess(
        () => access.check(call, rawParams, parsed ?? {}),
        () => body?.kind === "bytes" && !isStreamed && parseJson(bytes),
      );
      try {
        if (spec.isLong || isStreamed) call.accounting.extendDeadline();
        const response = await handle({
          call,
          ctx: spec.dryRun && isDryRun(call) ? dryRunContext(call.ctx) : call.ctx,
          grant,
          params: paramsOf ? paramsOf(call.path, () => rawParams) : ((rawParams ?? NO_PARAMS) as P),
          query: queryOf ? queryOf(call.search, parseQuery) : ({} as Q),
          body: (body?.kind === "json" ? validate(body.schema, parsed, "body") : bytes) as B,
        });
        // The body is not sent: release its stream immediately.
        if (call.request.method === "HEAD") await response.body?.cancel();
        return response;
      } finally {
        access.done?.(call);
      }
    },
  };
}

/** Limits of the cache of parsed paths and queries, for each route. */
const PARSED_CACHE_LIMITS = { maxEntries: 200, maxKeyLength: 300 };

/**
 * Returns a function that parses and validates a part of the URL. Clients repeat their URLs, and the result depends on
 * nothing but the text; it is frozen, since requests share it.
 */
function cachedByText<T>(
  schema: z.ZodType<T>,
  location: string,
): (text: string, parse: (text: string) => unknown) => T {
  let cache: BoundedCache<string, T> | undefined;
  return (text, parse) => {
    cache ??= new BoundedCache(PARSED_CACHE_LIMITS);
    return cache.get(text, () => Object.freeze(validate(schema, parse(text), location)));
  };
}

/** Tells whether a request asks for a dry run. */
export const isDryRun = ({ search }: Pick<Call, "search">): boolean =>
  search !== "" && isOn(new URLSearchParams(search).get("dryrun"));

/** Runs the access check; if it refuses, a refusal of `precheck` takes precedence. */
function checkAccess<G>(authorize: () => G, precheck: () => unknown): G {
  try {
    return authorize();
  } catch (error) {
    precheck();
    throw error;
  }
}

/** Parses a query: values are texts, or lists for repeated names. */
export function parseQuery(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  if (search === "") return query;
  for (const [name, value] of new URLSearchParams(search)) {
    const previous = query[name];
    query[name] = previous === undefined ? value : [...(Array.isArray(previous) ? previous : [previous]), value];
  }
  return query;
}
