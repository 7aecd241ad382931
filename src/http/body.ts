import { AppError } from "../errors.ts";
import type { Call, RequestServices } from "./call.ts";

/** Request bodies as bytes, before they are parsed and validated. */

/** Minimum transfer rate after the initial timeout. */
const MIN_BYTES_PER_S = 1024;
/** Bodies up to this size must arrive within the initial timeout; their progress is not checked. */
export const SMALL_BODY_BYTES = 16_384;

type BodyReader = Pick<Call, "request" | "config"> & { readonly services: Pick<RequestServices, "timeouts"> };
/** The parts of a call that buffering a body needs. */
type BodyBufferer = Pick<Call, "request" | "config" | "address" | "services" | "accounting">;

/** The media types of JSON bodies. */
const JSON_TYPE = /^application\/json\s*(;.*)?$/i;
const SCIM_TYPE = /^application\/(scim\+)?json\s*(;.*)?$/i;

/**
 * Returns the bytes of a JSON body; null if there is none.
 * @param form with `scim`, also those of application/scim+json; a body of any other type counts as none
 * @throws AppError `tooLarge` above the configured limit, `slow` if they do not arrive in time, `tooMany` and
 * `unavailable` if the memory budget is used up, `invalid` for a body that is not declared as JSON, `unsupportedMedia`
 * for a compressed one
 */
export async function readJsonBytes(call: BodyBufferer, form?: "scim"): Promise<Uint8Array | null> {
  const bytes = await readBody(call);
  if (bytes.length === 0) return null;
  const type = call.request.headers.get("content-type") ?? "";
  if (form === "scim") return SCIM_TYPE.test(type) ? bytes : null;
  if (!JSON_TYPE.test(type)) {
    throw new AppError("body.content_type", "The body must be sent with Content-Type: application/json");
  }
  return bytes;
}

/** Tells whether the body of a request is declared as JSON, or as a type that begins like it. */
export const hasJsonType = ({ request }: Pick<Call, "request">): boolean =>
  /^application\/json\b/i.test(request.headers.get("content-type") ?? "");

/** Tells whether the body of a request is declared as NDJSON. */
export const hasLines = ({ request }: Pick<Call, "request">): boolean =>
  /^application\/x-ndjson\s*(;.*)?$/i.test(request.headers.get("content-type") ?? "");

/** Tells whether the client asks for NDJSON. */
export const acceptsLines = ({ request }: Pick<Call, "request">): boolean =>
  /(^|,)\s*application\/x-ndjson\s*(;|,|$)/i.test(request.headers.get("accept") ?? "");

/** @throws AppError `unsupportedMedia` if the body is compressed or otherwise encoded */
export function requirePlainEncoding({ headers }: Request): void {
  const encoding = headers.get("content-encoding")?.toLowerCase();
  if (encoding === undefined || encoding === "identity") return;
  throw new AppError("body.unsupported_encoding", "Content-Encoding is not supported; send the body uncompressed");
}

async function readBody(call: BodyBufferer): Promise<Uint8Array> {
  const { request, config } = call;
  requirePlainEncoding(request);
  const contentLength = request.headers.get("content-length");
  if (contentLength !== null && Number(contentLength) > config.maxBody) throw bodyTooLarge(config.maxBody);
  // Before `body`, which would create a stream.
  if (contentLength !== null && Number(contentLength) <= SMALL_BODY_BYTES) return readSmallBody(call);
  if (!request.body) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readChunks(call, request.body)) {
    length += chunk.length;
    // A declared length has been checked before, but the header is optional.
    if (length > config.maxBody) throw bodyTooLarge(config.maxBody);
    call.services.bodyMemory.acquire(call.accounting.caller ?? call.address, chunk.length);
    call.accounting.bufferedBodyBytes += chunk.length;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : new Uint8Array(Buffer.concat(chunks));
}

/** Reads a body that has to arrive within the initial timeout. @throws AppError `slow`, `invalid` */
export async function readSmallBody({
  request,
  config,
  services: { timeouts },
}: BodyReader): Promise<Uint8Array<ArrayBuffer>> {
  const timedOut = Promise.withResolvers<never>();
  const timeout = timeouts.after(config.clientTimeoutS * 1000, () => timedOut.reject(bodyTooSlow()));
  try {
    const body = request.arrayBuffer().catch(() => Promise.reject(incompleteBody()));
    return new Uint8Array(await Promise.race([body, timedOut.promise]));
  } finally {
    timeout.cancel();
  }
}

/**
 * Yields the chunks of a body as they arrive.
 * @throws AppError `slow` if the transfer is too slow, `invalid` if the connection is closed
 */
export async function* readChunks(
  { config, services: { timeouts } }: BodyReader,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const periodMs = config.clientTimeoutS * 1000;
  let isTimedOut = false;
  const timeout = timeouts.after(periodMs, () => {
    isTimedOut = true;
    // This ends the pending read.
    void reader.cancel().catch(() => {});
  });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => Promise.reject(incompleteBody()));
      if (isTimedOut) throw bodyTooSlow();
      if (done) return;
      // Received bytes extend the timeout, up to the initial one.
      const remainingMs = Math.min(periodMs, timeout.remainingMs + (value.length / MIN_BYTES_PER_S) * 1000);
      // While the chunk is processed, the client waits for the server.
      timeout.extend(Number.POSITIVE_INFINITY);
      yield value;
      timeout.extend(remainingMs);
    }
  } finally {
    timeout.cancel();
    // A consumer that stops early does not need the rest.
    void reader.cancel().catch(() => {});
  }
}

const bodyTooLarge = (limit: number): AppError =>
  new AppError("limit.body_size", `The body exceeds the limit of ${limit} bytes`);

const bodyTooSlow = (): AppError => new AppError("slow", "The body did not arrive in time");

const incompleteBody = (): AppError =>
  new AppError("body.incomplete", "The connection was closed before the body was complete");
