/** Requests to a server, with its API key, and their failures in words. */
import { hasDotSegment } from "../../lib/network/dot-segments.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { CommandFailure, usageError } from "../command.ts";
import { printable } from "./printable.ts";
import type { Server } from "./profile.ts";

export interface ServerRequest {
  /** Default GET. */
  readonly method?: string;
  /** Sent as JSON, unless it is a stream. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the request, and the body of its response. */
  readonly signal?: AbortSignal;
  /** Statuses besides 2xx that the caller handles. */
  readonly expects?: readonly number[];
}

/** A response with an error status. */
export class ServerRefusal extends CommandFailure {
  readonly status: number;
  /** `details.code` of the error. */
  readonly reasonCode: string | null;

  constructor(status: number, { message, code }: { message: string; code: string | null }) {
    super(MAY_SUCCEED_LATER.has(status) ? "unavailable" : "refused", message);
    this.status = status;
    this.reasonCode = code;
  }
}

const MAY_SUCCEED_LATER: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;
/** Until the response begins; reading its body takes as long as it takes. */
const TIMEOUT_MS = 120_000;
/** More than any error of the API. */
const MAX_ERROR_CHARS = 2000;

/**
 * Sends a request to a server.
 * @param path in the API, such as `/api/docs/…`
 * @throws ServerRefusal for a status other than 2xx; CommandFailure if the server does not answer
 */
export async function callServer(server: Server, path: string, request: ServerRequest = {}): Promise<Response> {
  if (hasDotSegment(path)) throw usageError("No id or name can be . or ..");
  const url = `${server.url}${path}`;
  const response = await send(server, url, request);
  if (response.ok || request.expects?.includes(response.status)) return response;
  throw await refusalOf(server, response);
}

/** Like `callServer`, and returns the JSON of the response. */
export async function fetchJson<T>(server: Server, path: string, request: ServerRequest = {}): Promise<T> {
  const response = await callServer(server, path, request);
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (request.signal?.aborted) throw new CommandFailure("stopped", "Stopped");
    if (error instanceof SyntaxError)
      throw new CommandFailure(
        "refused",
        `${originOf(server.url)} does not answer with JSON: it is not a Quern server`,
      );
    throw new CommandFailure("unavailable", `${originOf(server.url)} broke off its answer`);
  }
}

async function send(server: Server, url: string, request: ServerRequest): Promise<Response> {
  let target = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    // Never followed by the HTTP client, which would send the key to any host.
    // oxlint-disable-next-line no-await-in-loop -- each redirect follows the one before
    const response = await sendOnce(server, target, request);
    if (!REDIRECTS.has(response.status)) return response;
    const location = URL.parse(response.headers.get("Location") ?? "", target);
    if (!location || location.origin !== originOf(target) || (request.method ?? "GET") !== "GET") {
      const where = location ? originOf(location.href) : "nowhere";
      throw new CommandFailure(
        "refused",
        `${originOf(target)} redirects to ${where}, to which the API key is not sent; use the URL of the server itself`,
      );
    }
    target = location.href;
  }
  throw new CommandFailure("refused", `${originOf(url)} redirects in a circle`);
}

async function sendOnce(server: Server, url: string, request: ServerRequest): Promise<Response> {
  const { method = "GET", body, headers = {}, signal } = request;
  const timeout = new AbortController();
  const clear = systemTimers.after(TIMEOUT_MS, () => timeout.abort());
  const signals = signal ? [timeout.signal, signal] : [timeout.signal];
  try {
    return await fetch(url, {
      method,
      redirect: "manual",
      signal: AbortSignal.any(signals),
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
        ...(server.key !== null && { Authorization: `Bearer ${server.key}` }),
      },
      ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw new CommandFailure("stopped", "Stopped");
    const reason = timeout.signal.aborted ? `no response within ${TIMEOUT_MS / 1000} s` : reasonOf(error);
    throw new CommandFailure("unavailable", `${originOf(url)} does not answer: ${reason}`);
  } finally {
    clear();
  }
}

const isRaw = (body: unknown): body is ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> =>
  body instanceof ReadableStream || body instanceof Uint8Array;

const originOf = (url: string): string => new URL(url).origin;

/** The HTTP client's messages are about browsers. */
function reasonOf(error: unknown): string {
  const { code = "", message } = error as { code?: string; message: string };
  return NETWORK_ERRORS[code] ?? printable(message);
}

const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ConnectionRefused: "connection refused",
  ECONNREFUSED: "connection refused",
  ConnectionClosed: "connection closed",
  ECONNRESET: "connection closed",
  FailedToOpenSocket: "the host was not found or cannot be reached",
  ENOTFOUND: "the host was not found",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

async function refusalOf(server: Server, response: Response): Promise<ServerRefusal> {
  const { error, code } = parseError(await response.text().catch(() => ""));
  const { status } = response;
  const sentence = error ?? `the server answered with status ${status}; is ${server.url} a Quern server?`;
  return new ServerRefusal(status, { message: `${sentence}${hintOf(server, status)}`, code });
}

function parseError(text: string): { error: string | null; code: string | null } {
  try {
    const { error, details } = JSON.parse(text) as {
      error?: unknown;
      details?: { code?: unknown; userError?: unknown };
    };
    if (typeof error !== "string") return { error: null, code: null };
    const more = typeof details?.userError === "string" ? `: ${details.userError}` : "";
    return {
      error: printable(`${error}${more}`.slice(0, MAX_ERROR_CHARS)),
      code: typeof details?.code === "string" ? details.code : null,
    };
  } catch {
    return { error: null, code: null };
  }
}

/** Returns what to do about a key that is missing or not accepted. */
function hintOf({ url, key, profile }: Server, status: number): string {
  if (key === null && [401, 403, 404].includes(status)) return ` (no API key for ${originOf(url)}: quern login ${url})`;
  if (status !== 401) return "";
  return profile === null ? ` (API key of ${originOf(url)})` : ` (API key of profile ${profile}: quern login ${url})`;
}
