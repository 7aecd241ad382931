/** HTTP requests to other nodes, over connections that are kept alive. */
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { guarded } from "../../lib/callbacks.ts";

export interface PeerRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
  /** True for responses that may last for hours. */
  readonly isStream: boolean;
}

/**
 * The runtime's `fetch` has 256 connections for the whole process, and it costs less time. Requests beyond this number, and
 * streams, which last for hours, get connections of their own.
 */
const MAX_FETCHES = 128;
/** Responses up to this size are read before the client gets them: that is faster than a stream. */
const MAX_BUFFERED_BYTES = 65_536;

let fetches = 0;

/**
 * `fetch` sends a request of another method again when the connection ends without a response: the other node may have
 * processed it. It does so for GET and HEAD, too, where that does no harm.
 */
const FETCH_METHODS = new Set(["GET", "HEAD", "POST", "PATCH"]);

/** Sends a request. Redirects are not followed, and bodies not decompressed. @throws what the connection does */
export async function sendToPeer(url: string, request: PeerRequest): Promise<Response> {
  const isFetched = !request.isStream && fetches < MAX_FETCHES && FETCH_METHODS.has(request.method);
  if (!isFetched) return sendOnOwnConnection(url, request);
  const { method, headers, body, signal } = request;
  fetches++;
  let isReleased = false;
  const release = () => {
    if (!isReleased) fetches--;
    isReleased = true;
  };
  try {
    const response = await fetch(url, { method, headers, body, signal, redirect: "manual", decompress: false });
    const length = response.headers.get("content-length");
    if (!response.body || method === "HEAD" || (length !== null && Number(length) <= MAX_BUFFERED_BYTES)) {
      const bytes = method === "HEAD" || !response.body ? null : await response.arrayBuffer();
      release();
      return new Response(bytes, response);
    }
    return new Response(observed(response.body, release), response);
  } catch (error) {
    release();
    throw error;
  }
}

/** Calls `onEnd` when a stream has ended, in whatever way. */
export function observed(stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const tlsAgent = new HttpsAgent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

function sendOnOwnConnection(url: string, { method, headers, body, signal }: PeerRequest): Promise<Response> {
  const isTls = url.startsWith("https:");
  const send = isTls ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(headers), agent: isTls ? tlsAgent : agent, signal };
    const outgoing = send(url, options, (incoming) => resolve(toResponse(incoming, method)));
    outgoing.on("error", guarded(reject));
    if (body instanceof ReadableStream) {
      pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), outgoing).catch(reject);
    } else outgoing.end(body ?? undefined);
  });
}

function toResponse(incoming: IncomingMessage, method: string): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const { statusCode: status = 502 } = incoming;
  const isEmpty = method === "HEAD" || status === 204 || status === 304;
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}
