import { systemTimers } from "../../lib/time/timers.ts";
import { HOP_HEADER } from "./hop.ts";
import { sendToPeer } from "./transport.ts";

export interface ForwardOptions {
  /** The address of the other node: `http://10.0.0.2:8080`. */
  readonly address: string;
  /** The value of the hop header. */
  readonly hop: string;
  /** How long the other node may take to begin its response, in milliseconds. */
  readonly timeoutMs: number;
  /** True for responses that may last for hours. */
  readonly isStream: boolean;
  /** Ends the wait for the head of the response, when it takes too long or the other node no longer owns the document. */
  readonly abort: AbortController;
}

/** The outcome of a proxied request. */
export type ForwardOutcome =
  | { readonly kind: "answered"; readonly response: Response }
  /** The other node does not own the document: nothing was done. */
  | { readonly kind: "misdirected" }
  /** The other node does not accept the hop: nothing was done. */
  | { readonly kind: "refused" }
  /** No connection: nothing was done. */
  | { readonly kind: "unreachable"; readonly error: unknown }
  /** The connection ended after bytes had left: the request may have been processed. */
  | { readonly kind: "unknown"; readonly error: unknown };

/** Status 421 (Misdirected Request): only between nodes, never to clients. */
export const MISDIRECTED_STATUS = 421;

/** Headers about one connection, which are not forwarded (RFC 9110, section 7.6.1). */
const CONNECTION_HEADERS = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** This node has answered `100 Continue` already. */
const REQUEST_HEADERS = [...CONNECTION_HEADERS, "expect"];
/** This node adds its own. */
const RESPONSE_HEADERS = [...CONNECTION_HEADERS, "date"];

/** Errors of a connection that was never established. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "FailedToOpenSocket",
  "ENETUNREACH",
  "EHOSTUNREACH",
]);

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);

/** True when the certificate of the other node could not be verified: nothing was sent. */
export const isUntrusted = (error: unknown): boolean => /CERT|^UNABLE_TO_|^ERR_TLS_/.test(codeOf(error));

/** A request with a body that can be sent once (a stream) or several times. */
export interface ForwardedRequest {
  readonly request: Request;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** Sends a request to another node and returns its response as a stream. Never throws. */
export async function forward(
  { request, body }: ForwardedRequest,
  { address, hop, timeoutMs, isStream, abort }: ForwardOptions,
): Promise<ForwardOutcome> {
  const headers = new Headers(request.headers);
  for (const name of namesOf(REQUEST_HEADERS, request.headers)) headers.delete(name);
  headers.set(HOP_HEADER, hop);
  // A response that has begun does not end: event streams last for hours.
  const cancel = systemTimers.after(timeoutMs, () => abort.abort());
  try {
    const response = await sendToPeer(address + pathOf(request.url), {
      method: request.method,
      headers,
      body,
      isStream,
      signal: AbortSignal.any([abort.signal, request.signal]),
    });
    const isRefused = response.headers.has(HOP_HEADER);
    if (response.status === MISDIRECTED_STATUS || isRefused) {
      await response.body?.cancel();
      return { kind: isRefused ? "refused" : "misdirected" };
    }
    for (const name of namesOf(RESPONSE_HEADERS, response.headers)) response.headers.delete(name);
    return { kind: "answered", response };
  } catch (error) {
    return NOT_CONNECTED.has(codeOf(error)) || isUntrusted(error)
      ? { kind: "unreachable", error }
      : { kind: "unknown", error };
  } finally {
    cancel();
  }
}

/** Returns path and query of a request, as its client sent them. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start < 0 ? "/" : url.slice(start);
}

/** Returns the names of headers that are only for the connection. */
function namesOf(names: readonly string[], headers: Headers): readonly string[] {
  const connection = headers.get("connection");
  if (connection === null) return names;
  const listed = connection.split(",").map((name) => name.trim().toLowerCase());
  return [...names, ...listed.filter((name) => /^[\w-]+$/.test(name))];
}
