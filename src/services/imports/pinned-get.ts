import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { guarded } from "../../lib/callbacks.ts";
import {
  type AddressResolver,
  type ConnectionPolicy,
  pinnedLookup,
  resolveAddresses,
  withSignal,
} from "../../lib/network/pinned-addresses.ts";

/** A response whose body has not been read. */
export interface PinnedResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** Reads the body; throws when it ends early or the signal is aborted. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Closes the connection. Idempotent. */
  close(): void;
}

interface GetOptions {
  readonly policy: ConnectionPolicy;
  readonly resolve?: AddressResolver | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends a GET request without cookies or credentials to an address that was checked. Redirects are not followed.
 * @throws Error when the host cannot be reached, or its address is not allowed
 */
export async function getPinned(url: URL, { policy, resolve, signal }: GetOptions): Promise<PinnedResponse> {
  const addresses = await withSignal(signal, resolveAddresses(url, { policy, resolve }));
  return new Promise((done, reject) => {
    const createRequest = url.protocol === "https:" ? httpsRequest : httpRequest;
    const headers = { "User-Agent": "Quern", Accept: "*/*", "Accept-Encoding": "identity", Connection: "close" };
    const request = createRequest(url, { method: "GET", headers, lookup: pinnedLookup(addresses), agent: false });
    const abort = guarded(() => {
      reject(new Error("Aborted"));
      request.destroy();
    });
    const close = () => {
      signal.removeEventListener("abort", abort);
      request.destroy();
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    request.on("error", guarded(reject));
    request.on(
      "response",
      guarded((response) => done(pinnedResponse(response, signal, close))),
    );
    request.end();
  });
}

function pinnedResponse(response: IncomingMessage, signal: AbortSignal, close: () => void): PinnedResponse {
  return {
    status: response.statusCode ?? 0,
    header(name) {
      const value = response.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    async *chunks() {
      const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      for (;;) {
        const { done, value } = await withSignal(signal, chunks.next());
        if (done) return;
        yield value;
      }
    },
    close,
  };
}
