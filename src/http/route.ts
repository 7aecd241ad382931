import type { z } from "@hono/zod-openapi";
import { parseJson, validate } from "../payload.ts";
import { readJsonBytes } from "./body.ts";
import type { Call } from "./call.ts";

export type Method = "get" | "post" | "patch" | "put" | "delete";

/** Who may: yields the grant that the verbs behind a route ask for, or throws the refusal. */
export interface AccessCheck<G> {
  /** For the documentation: "Owners of the document." */
  readonly about: string;
  /** True where `?showRemoved=1` makes it look into the trash for requests of this method. */
  showsRemoved?(method: string): boolean;
  /** Refusals it can give, for the documentation. */
  readonly statuses: readonly (401 | 403 | 404 | 429)[];
  /** @param body as parsed, before it was held against the schema; for what a route asks for by its body */
  check(call: Call, params: Readonly<Record<string, string>>, body: object): G;
  /** Called when the request is over, whatever came of it. */
  done?(call: Call): void;
}

/** How a route takes its body; made by the three functions below. */
export interface BodySpec<B> {
  readonly kind: "json" | "bytes" | "upload";
  readonly schema: z.ZodType;
  /** With an upload: JSON is taken instead, read by the handler as well. */
  readonly json?: z.ZodType;
  /** What the handler gets, for the compiler only. */
  readonly gives?: B;
}

/** Parsed here, and held against the schema after the access check. */
export const jsonBody = <S extends z.ZodType>(schema: S): BodySpec<z.infer<S>> => ({ kind: "json", schema });

/** Handed on as bytes and parsed by the document's host; the schema is for the documentation. */
export const bytesBody = (schema: z.ZodType): BodySpec<Uint8Array | null> => ({ kind: "bytes", schema });

/** multipart/form-data, read by the handler itself as a stream; the schema is for the documentation. */
export const uploadBody = (schema: z.ZodType): BodySpec<null> => ({ kind: "upload", schema });

/** multipart/form-data or JSON; the handler tells which, and reads it. */
export const uploadOrJsonBody = (upload: z.ZodType, json: z.ZodType): BodySpec<null> => ({
  kind: "upload",
  schema: upload,
  json,
});

/** A response that is a file. */
export interface FileResponseSpec {
  /** Its media type, or several where that depends on the request. */
  readonly type: string | readonly string[];
  readonly about: string;
  /** What JSON it is where the request asks for no file. */
  readonly json?: z.ZodType;
}

export interface RouteSpec<P, Q, B, G> {
  readonly method: Method;
  /** `/api/docs/{docId}/tables`; fixed segments are matched in any case. */
  readonly path: string;
  /** Unique name of the operation, in camel case. */
  readonly id: string;
  readonly tag: string;
  /** A few words. */
  readonly summary: string;
  /** What a user needs to know beyond the summary. */
  readonly about?: string;
  readonly access: AccessCheck<G>;
  /** Path parameters; held against the schema after the access check, which reads them as they stand. */
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** Headers that the route reads, for the documentation. */
  readonly headers?: z.ZodType;
  readonly body?: BodySpec<B>;
  /** True for work on whole files, or other servers', which may take long. */
  readonly isLong?: boolean;
  /** What is refused to everybody, before it is known whether the thing exists and the caller may. */
  readonly early?: (body: object, params: Readonly<Record<string, string>>) => void;
  /** What 200 answers: a schema for JSON, or a media type with words; null for a route that is always refused. */
  readonly response: z.ZodType | FileResponseSpec | null;
  /** What else it answers, by status, for the documentation. */
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

/** A route as the server mounts it: its contract, and one function from request to answer. */
export interface Route {
  readonly spec: RouteSpec<unknown, unknown, unknown, unknown>;
  run(call: Call, params: Readonly<Record<string, string>>): Promise<Response>;
}

type Params = Readonly<Record<string, string>>;
const NO_PARAMS: Params = {};

/**
 * Joins a contract and its handler. The order of checks is the same for all routes: body (size, type, syntax), what is
 * refused to everybody, existence and access, shape, handler. With `bytes` the syntax is checked in the host, and here
 * only when access is refused, so that broken JSON is 400 for every caller without parsing a good body twice.
 */
export function route<P = Params, Q = Record<string, never>, B = undefined, G = unknown>(
  spec: RouteSpec<P, Q, B, G>,
  handle: (input: HandlerInput<P, Q, B, G>) => Promise<Response> | Response,
): Route {
  const { access, body } = spec;
  return {
    spec,
    async run(call, rawParams) {
      call.accounting.template = spec.path;
      const bytes = body && body.kind !== "upload" ? await readJsonBytes(call) : null;
      const parsed = body?.kind === "json" ? parseJson(bytes) : undefined;
      if (parsed && spec.early) spec.early(parsed, rawParams);
      const grant = checkAccess(
        () => access.check(call, rawParams, parsed ?? {}),
        () => body?.kind === "bytes" && parseJson(bytes),
      );
      try {
        if (spec.isLong || body?.kind === "upload") call.accounting.extendDeadline();
        const response = await handle({
          call,
          ctx: call.ctx,
          grant,
          params: spec.params ? validate(spec.params, rawParams, "path") : ((rawParams ?? NO_PARAMS) as P),
          query: spec.query ? validate(spec.query, parseQuery(call.search), "query") : ({} as Q),
          body: (body?.kind === "json" ? validate(body.schema, parsed, "body") : bytes) as B,
        });
        // Nobody will read what is streamed: what it holds is given back at once.
        if (call.request.method === "HEAD") await response.body?.cancel();
        return response;
      } finally {
        access.done?.(call);
      }
    },
  };
}

/** The access check; when it refuses, `first` may have a refusal that comes before. */
function checkAccess<G>(authorize: () => G, precheck: () => unknown): G {
  try {
    return authorize();
  } catch (error) {
    precheck();
    throw error;
  }
}

/** Parameters of a query: a text each, a list where a name is given more than once. */
export function parseQuery(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  if (search === "") return query;
  for (const [name, value] of new URLSearchParams(search)) {
    const previous = query[name];
    query[name] = previous === undefined ? value : [...(Array.isArray(previous) ? previous : [previous]), value];
  }
  return query;
}
