/** The Model Context Protocol at `/mcp`. Its tools send requests to this server, each of which passes all steps of the chain. */
import { AppError, invalid } from "../errors.ts";
import { stackOf } from "../lib/callbacks.ts";
import { type ApiAnswer, type ApiCall, ApiRefusal, parseAnswerBody } from "../mcp/api.ts";
import type { McpRequest } from "../mcp/endpoint.ts";
import { parseJson } from "../payload.ts";
import { readJsonBytes } from "./body.ts";
import type { Call } from "./call.ts";
import { errorResponse } from "./error-responses.ts";

export const MCP_PATH = "/mcp";

/** Handles a request as if it came from the client of another one. */
export type Dispatch = (request: Request, client: Call) => Promise<Response>;

/** Headers that say who the caller is, and from where: the requests of tools have those of the client. */
const CLIENT_HEADERS = ["authorization", "host", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];

/** Responses to tools are read into memory; these are far larger than what a tool returns. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Returns the handler of `/mcp`. The protocol is loaded at the first request: most servers never need it. */
export function createMcpHandler(dispatch: Dispatch): (call: Call) => Promise<Response> {
  return async (call) => {
    call.accounting.template = MCP_PATH;
    const { createMcpEndpoint } = await import("../mcp/endpoint.ts");
    const originHostnames = [call.config.publicUrl, ...call.config.corsOrigins].flatMap((url) =>
      url === null ? [] : (URL.parse(url)?.hostname ?? []),
    );
    const endpoint = createMcpEndpoint({ originHostnames, admit: () => admit(call, dispatch) });
    return endpoint(call.request);
  };
}

/** Checks the key before the body is read. */
async function admit(client: Call, dispatch: Dispatch): Promise<McpRequest | Response> {
  try {
    // Not a session: a page could use that of its visitor.
    if (!client.request.headers.has("authorization"))
      throw new AppError("auth.required", "Send an API key as Authorization: Bearer");
    const call = apiCall(client, dispatch);
    const described = await call("GET", "/api/profile/key");
    if (described.status !== 200) return refusal(described);
    const key = described.body as McpRequest["key"];
    const body = parseJson(await readJsonBytes(client));
    // The protocol has no batches, which would be a way around the limits of requests in progress.
    if (Array.isArray(body)) throw invalid("The body must be one message; batches are not supported");
    return { call, key, body, report: (error) => reportFailure(client, error) };
  } catch (error) {
    return withChallenge(errorResponse(error, client), error instanceof AppError ? error.reason : null);
  }
}

function refusal(answer: ApiAnswer): Response {
  const { status, body, retryAfterS } = answer;
  const headers = retryAfterS === null ? {} : { "Retry-After": String(retryAfterS) };
  return withChallenge(Response.json(body, { status, headers }), new ApiRefusal(answer).code);
}

/** Refusals of requests without a key, or with another scheme, whose challenge has no error (RFC 6750, section 3.1). */
const WITHOUT_KEY: ReadonlySet<string | null> = new Set(["auth.required", "auth.header"]);

/** Names the scheme that clients have to use. Without a URL of metadata, they do not begin a sign-in by OAuth. */
function withChallenge(response: Response, code: string | null): Response {
  if (response.status !== 401) return response;
  const error = WITHOUT_KEY.has(code) ? "" : ', error="invalid_token"';
  response.headers.set("WWW-Authenticate", `Bearer realm="quern"${error}`);
  return response;
}

const reportFailure = ({ ctx, requestId }: Call, error: unknown): void =>
  ctx.log.error("mcp.tool_failed", { requestId, error: stackOf(error) });

/** Returns a function that sends requests to this server, to the same site and as the same caller. */
function apiCall(client: Call, dispatch: Dispatch): ApiCall {
  const { url, headers: received } = client.request;
  const base = url.replace(/\/mcp\/?(\?.*)?$/i, "");
  const headers = new Headers({ Accept: "application/json" });
  for (const name of CLIENT_HEADERS) {
    const value = received.get(name);
    if (value !== null) headers.set(name, value);
  }
  return async (method, path, body) => {
    const sent = new Headers(headers);
    if (body !== undefined) sent.set("Content-Type", "application/json");
    const request = new Request(`${base}${path}`, {
      method,
      headers: sent,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return readAnswer(await dispatch(request, client));
  };
}

async function readAnswer(response: Response): Promise<ApiAnswer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      return { status: 413, body: TOO_LARGE, retryAfterS: null };
    }
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const retryAfter = response.headers.get("retry-after");
  return {
    status: response.status,
    body: parseAnswerBody(text),
    retryAfterS: retryAfter === null ? null : Number(retryAfter),
  };
}

const TOO_LARGE = { error: "The result is too large", details: { code: "limit.size" } };
