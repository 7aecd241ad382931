import type { CustomFetchOptions } from "openid-client";
import { ProviderError } from "./provider-error.ts";

/** Far more than any discovery document, key set or token. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Fetches a response of a provider, up to 1 MB, without following redirects.
 * @param signal ends the step that the request belongs to
 * @throws ProviderError for a larger response
 */
export async function boundedFetch(url: string, options: CustomFetchOptions, signal: AbortSignal): Promise<Response> {
  const signals = options.signal ? [options.signal, signal] : [signal];
  const response = await fetch(url, {
    method: options.method,
    headers: options.headers,
    redirect: "manual",
    ...(options.body !== undefined && { body: options.body as string }),
    signal: AbortSignal.any(signals),
  });
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_RESPONSE_BYTES) throw new ProviderError("unavailable", "response_too_large", url);
    chunks.push(chunk);
  }
  const headers = new Headers(response.headers);
  // Of the body as it was sent, which may have been compressed.
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(name);
  const hasNoBody = response.status === 204 || response.status === 304;
  return new Response(hasNoBody ? null : Buffer.concat(chunks), { status: response.status, headers });
}
