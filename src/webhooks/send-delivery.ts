import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Outcome } from "../hosts/documents.ts";
import { guarded } from "../lib/callbacks.ts";
import {
  AddressDeniedError,
  type AddressResolver,
  pinnedLookup,
  type ResolvedAddress,
  resolveAddresses,
  withSignal,
} from "../lib/network/pinned-addresses.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { parseRetryAfterMs } from "./retry-policy.ts";

export interface OutgoingRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
  readonly policy: AddressPolicy;
  readonly resolve?: AddressResolver;
  /** Covers resolving, connecting and the response. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Aborts the delivery. */
  readonly signal?: AbortSignal;
}

/** The result of a delivery. */
export interface SendResult extends Outcome {
  /** The delay the receiver asked for; null if none. */
  readonly retryAfterMs: number | null;
  /** The response body, truncated. */
  readonly answer: string;
}

/** Maximum number of bytes read from a response. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Maximum length of the stored message. */
const MAX_MESSAGE_LENGTH = 2000;

/**
 * Sends a POST request. The host is resolved once, and the connection uses the addresses that were checked: a DNS
 * answer that changes a moment later (DNS rebinding) has no effect. Redirects are not followed. Never throws.
 */
export async function sendDelivery(outgoing: OutgoingRequest, options: SendOptions): Promise<SendResult> {
  const at = options.now();
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([deadline, options.signal]) : deadline;
  let isForbidden = false;
  let response: ReceiverResponse | null = null;
  let message: string;
  try {
    const addresses = await withSignal(signal, resolveAddresses(outgoing.url, options));
    response = await post(outgoing, addresses, signal);
    message = response.text || `The receiver answered ${response.status}`;
  } catch (error) {
    isForbidden = error instanceof AddressDeniedError;
    message = deadline.aborted ? "The receiver did not answer in time" : messageOf(error);
  }
  const isSuccess = response !== null && response.status >= 200 && response.status < 300;
  return {
    at,
    durationMs: Math.max(0, options.now() - at),
    isSuccess,
    httpStatus: response?.status ?? null,
    message: isSuccess ? null : message.slice(0, MAX_MESSAGE_LENGTH),
    isForbidden,
    retryAfterMs: isSuccess ? null : parseRetryAfterMs(response?.retryAfter, options.now()),
    answer: (response?.text ?? "").slice(0, MAX_MESSAGE_LENGTH),
  };
}

interface ReceiverResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

function post(
  { url, headers, body }: OutgoingRequest,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<ReceiverResponse> {
  return new Promise((resolve, reject) => {
    const createRequest = url.protocol === "https:" ? httpsRequest : httpRequest;
    const options = {
      method: "POST",
      headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
      lookup: pinnedLookup(addresses),
    };
    const request = createRequest(url, options, (response) => {
      const status = response.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = guarded(() => {
        resolve({
          status,
          text: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString("utf8"),
          retryAfter: response.headers["retry-after"],
        });
        signal.removeEventListener("abort", abort);
      });
      const onChunk = guarded((chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < MAX_RESPONSE_BYTES) return;
        finish();
        request.destroy();
      });
      response.on("data", onChunk);
      response.on("end", finish);
      // The status was received; a truncated body does not change the result.
      response.on("error", finish);
      response.on("close", finish);
      signal.addEventListener("abort", finish, { once: true });
    });
    const abort = guarded(() => {
      reject(new Error("Aborted"));
      request.destroy();
    });
    signal.addEventListener("abort", abort, { once: true });
    request.on("error", guarded(reject));
    request.end(body);
  });
}

/** Prefixes the error code: `ECONNREFUSED` is more familiar than a library's message. */
function messageOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof message === "string" && message !== "" ? message : "The receiver could not be reached";
  return typeof code === "string" && !text.includes(code) ? `${code}: ${text}` : text;
}
