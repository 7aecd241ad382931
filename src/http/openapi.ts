import { OpenAPIHono } from "@hono/zod-openapi";
import type { Scope } from "../authorization.ts";
import { API_VERSION } from "../lib/build.ts";
import { z } from "../wire/common/schema.ts";
import { IdempotencyHeaders } from "../wire/common/idempotency.ts";
import { Refusal } from "../wire/common/errors.ts";
import { SCIM_MEDIA_TYPE, ScimError } from "../wire/scim/messages.ts";
import { DryRunQuery, DryRunReport } from "../wire/tables/dry-run.ts";
import { ShowRemovedQuery } from "../wire/sites/workspaces.ts";
import { END_USER_ROUTES } from "./end-users/end-user-routes.ts";
import { acceptsKeys } from "./idempotency/scope.ts";
import { routeScopeOf } from "./keys/route-scopes.ts";
import type { BodySpec, FileResponseSpec, Route } from "./route.ts";

type PathDescription = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];
type Responses = PathDescription["responses"];
type RequestBody = NonNullable<PathDescription["request"]>["body"];

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: "The request is malformed or cannot be fulfilled.",
  401: "The API key is invalid, revoked or expired, or authentication is required.",
  403: "The caller has no access, or an insufficient role, or a limited key.",
  404: "The resource does not exist, or is not visible to the caller.",
  408: "The body did not arrive in time; nothing was changed.",
  409: "The request conflicts with existing data, one with the same `Idempotency-Key` is in progress, or a dry run takes too long.",
  413: "The body exceeds the size limit.",
  415: "The body has an unsupported Content-Encoding or media type.",
  422: "The `Idempotency-Key` was used with another body; nothing was changed.",
  429: "Too many requests; retry after `Retry-After` seconds.",
  503: "The server is overloaded or shutting down, or reading exceeded the time limit; nothing was changed.",
  504: "The request exceeded the time limit and continues; check its result before you retry.",
};

/** Returns the OpenAPI 3.1 description of all routes. */
export function describeApi(routes: readonly Route[], serverUrl: string): object {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description:
      "An API key, created on the profile page or with `quern key create`, or a token for an end user of a document.",
  });
  for (const { spec } of routes) {
    const { scopes } = routeScopeOf(spec.id);
    registry.registerPath({
      method: spec.method,
      path: spec.path,
      operationId: spec.id,
      tags: [spec.tag],
      summary: spec.summary,
      description: [
        spec.about,
        `**Access:** ${spec.access.about}`,
        describeScopes(scopes),
        END_USER_ROUTES.has(spec.id) && "**Tokens for end users** are accepted.",
      ]
        .filter(Boolean)
        .join("\n\n"),
      "x-required-scopes": scopes,
      request: {
        ...(spec.params && { params: spec.params as z.ZodObject }),
        ...querySchema(spec),
        ...headersSchema(spec),
        ...(spec.body && { body: requestBody(spec.body, spec.form) }),
      },
      responses: describeResponses(spec),
    } as PathDescription);
  }
  const tags = [...new Set(routes.map(({ spec }) => spec.tag))].map((name) => ({ name }));
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Quern",
      version: API_VERSION,
      description: "API for spreadsheet documents: sites, workspaces, documents, tables, columns, records and sharing.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags,
  });
}

const describeScopes = (scopes: readonly Scope[]): string =>
  scopes.length === 0 ? "" : `**Scopes of a limited key:** ${scopes.map((scope) => `\`${scope}\``).join(", ")}`;

/** Returns the query parameters of the route and of its access check. */
function querySchema({ query, access, method, dryRun }: Route["spec"]): { query?: z.ZodObject } {
  const ownQuery = query as z.ZodObject | undefined;
  const routeQuery = dryRun ? DryRunQuery.extend(ownQuery?.shape ?? {}) : ownQuery;
  if (access.showsRemoved?.(method.toUpperCase())) return { query: ShowRemovedQuery.extend(routeQuery?.shape ?? {}) };
  return routeQuery ? { query: routeQuery } : {};
}

/** Returns the headers of the route, and `Idempotency-Key` where it is accepted. */
function headersSchema(spec: Route["spec"]): { headers?: z.ZodObject } {
  const headers = spec.headers as z.ZodObject | undefined;
  if (acceptsKeys(spec)) return { headers: IdempotencyHeaders.extend(headers?.shape ?? {}) };
  return headers ? { headers } : {};
}

function requestBody(body: BodySpec<unknown>, form: "scim" | undefined): RequestBody {
  const type = body.kind === "upload" ? "multipart/form-data" : "application/json";
  return {
    content: {
      ...(form === "scim" && { [SCIM_MEDIA_TYPE]: { schema: body.schema } }),
      [type]: { schema: body.schema },
      ...(body.json && { "application/json": { schema: body.json } }),
      ...(body.lines && { "application/x-ndjson": { schema: body.lines } }),
    },
  };
}

function describeResponses(spec: Route["spec"]): Responses {
  const { method, path, access, lines, accepted, body, headers, dryRun, form, further = {} } = spec;
  // Some requests are refused before their route is known.
  const errorContent = form === "scim" ? { ...ERROR_CONTENT, ...SCIM_ERROR_CONTENT } : ERROR_CONTENT;
  const response = dryRun ? z.union([spec.response as z.ZodType, DryRunReport]) : spec.response;
  const success: Responses = response
    ? {
        [spec.successStatus ?? 200]:
          "about" in response ? fileContent(response) : jsonContent(response, { lines, form }),
      }
    : {};
  if (accepted) success[202] = { ...jsonContent(accepted), description: "Accepted: the work continues as a job." };
  const statuses = new Set<number>([
    400,
    // Keys of disabled users and keys in cross-origin requests are refused before routing.
    403,
    ...access.statuses,
    // Resources in the path may not exist.
    ...(path.includes("{") ? [404] : []),
    429,
    503,
    ...(method === "get" ? [] : [504]),
    ...(body ? [408, 413, 415] : []),
    ...(dryRun ? [409] : []),
    ...(acceptsKeys(spec) ? [401, 409, 422] : []),
  ]);
  for (const status of [...statuses].sort((a, b) => a - b)) {
    success[status] = { description: ERROR_DESCRIPTIONS[status] ?? "", content: errorContent };
  }
  if (readsPastStates(spec)) {
    success[200] = { description: "Success.", ...success[200], headers: STATE_HEADER };
    success[507] = { description: "The limit of temporary files is reached.", content: errorContent };
  }
  if (isConditional(headers)) success[304] = { description: "The client's copy is current." };
  for (const [status, description] of Object.entries(further)) {
    success[status] = { description, ...(Number(status) >= 400 && { content: errorContent }) };
  }
  return success;
}

/** True for reads that take `at`. */
const readsPastStates = ({ query }: Route["spec"]): boolean =>
  "at" in ((query as { shape?: object } | undefined)?.shape ?? {});

const STATE_HEADER = {
  "X-Quern-State": {
    description: "With `at`: the number of the state that the response is from.",
    schema: { type: "integer" as const },
  },
};

const ERROR_CONTENT = { "application/json": { schema: Refusal } };
const SCIM_ERROR_CONTENT = { [SCIM_MEDIA_TYPE]: { schema: ScimError } };

const jsonContent = (
  schema: z.ZodType,
  { lines, form }: { lines?: z.ZodType | undefined; form?: "scim" | undefined } = {},
) => ({
  description: "Success.",
  content: {
    [form === "scim" ? SCIM_MEDIA_TYPE : "application/json"]: { schema },
    ...(lines && { "application/x-ndjson": { schema: lines } }),
  },
});

const fileContent = ({ type, about, json }: FileResponseSpec) => ({
  description: about,
  content: {
    ...Object.fromEntries([type].flat().map((one) => [one, { schema: { type: "string" as const } }])),
    ...(json && { "application/json": { schema: json } }),
  },
});

/** True for routes that support conditional requests: they can respond with 304. */
const isConditional = (headers: z.ZodType | undefined): boolean =>
  "If-None-Match" in ((headers as { shape?: object } | undefined)?.shape ?? {});
