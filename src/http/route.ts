import type { z } from "../wire/common/schema.ts";
import { AppError, invalid } from "../errors.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { dryRunContext } from "../services/documents/dry-run.ts";
import { parseJson, validate } from "../payload.ts";
import { isOn } from "../wire/common/query.ts";
import { hasLines, readJsonBytes } from "./body.ts";
import type { Call } from "./call.ts";
import { checkEndUser } from "./end-users/confine.ts";
import { answerKeyed, answerRemoved, enterKeyed } from "./idempotency/keyed-request.ts";
import { isKeyed } from "./idempotency/scope.ts";
import { checkKeyLimits } from "./keys/key-limits.ts";
import type { BodySpec, HandlerInput, Route, RouteSpec } from "./route-spec.ts";

export {
  type AccessCheck,
  type BodySpec,
  classOf,
  type FileResponseSpec,
  type HandlerInput,
  type Method,
  type Route,
  type RouteSpec,
} from "./route-spec.ts";

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

type Params = Readonly<Record<string, string>>;
const NO_PARAMS: Params = {};

/**
 * Joins a contract and its handler. The order of checks is the same for all routes: scopes of the key, body (size, type,
 * syntax), prechecks, existence and access, schema, handler. With `bytes`, the worker checks the syntax; it is checked here only
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
      checkEndUser(call, spec.id);
      checkKeyLimits(call, spec.id, rawParams);
      const isStreamed = body?.kind === "upload" || (body?.lines !== undefined && hasLines(call));
      const bytes = body && !isStreamed ? await readJsonBytes(call, spec.form) : null;
      const parsed = body?.kind === "json" ? parseJson(bytes) : undefined;
      if (parsed && spec.early) spec.early(parsed, rawParams);
      const keyed = isKeyed(spec, call);
      const leave = keyed ? await enterKeyed(call) : null;
      try {
        let grant: G;
        try {
          grant = checkAccess(
            () => access.check(call, rawParams, parsed ?? {}),
            () => body?.kind === "bytes" && !isStreamed && parseJson(bytes),
          );
        } catch (error) {
          const removed = keyed && isNotFound(error) ? await answerRemoved(call, spec, bytes) : null;
          if (removed) return removed;
          throw error;
        }
        try {
          if (spec.isLong || isStreamed) call.accounting.extendDeadline();
          const input = () => ({
            grant,
            params: paramsOf ? paramsOf(call.path, () => rawParams) : ((rawParams ?? NO_PARAMS) as P),
            query: queryOf ? queryOf(call.search, parseQuery) : ({} as Q),
            body: (body?.kind === "json" ? validate(body.schema, parsed, "body") : bytes) as B,
          });
          const respond = (own: Call, given: ReturnType<typeof input>) => handle({ call: own, ctx: own.ctx, ...given });
          const context = contextOf(spec, call);
          const response = keyed
            ? await answerKeyed(call, grant, { spec, bytes, input, respond })
            : await handle({ call, ctx: context, ...input() });
          // The body is not sent: release its stream immediately.
          if (call.request.method === "HEAD") await response.body?.cancel();
          return response;
        } finally {
          access.done?.(call);
        }
      } finally {
        leave?.();
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
  search.includes("dryrun") && isOn(new URLSearchParams(search).get("dryrun"));

/**
 * Returns the context in which a request runs.
 * @throws AppError `invalid` for a dry run of a write that has none: it would be made
 */
function contextOf({ method, dryRun, query }: Pick<Route["spec"], "method" | "dryRun" | "query">, call: Call) {
  if (method === "get" || !isDryRun(call)) return call.ctx;
  if (dryRun) return dryRunContext(call.ctx);
  const hasOwnParameter = "dryrun" in ((query as { shape?: object } | undefined)?.shape ?? {});
  if (!hasOwnParameter) throw invalid("This request has no dry run");
  return call.ctx;
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === "notFound";

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
