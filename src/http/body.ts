import { AppError } from "../errors.ts";
import type { Call, RequestServices } from "./call.ts";

/** Bodies as they come from the wire, before anything is known of their shape. */

/** What a client has to send in a second, after the time that it is given at first. */
const MIN_BYTES_PER_S = 1024;
/** A body up to this size has to be there within the time given; it is not looked at while it comes. */
const SMALL_BODY_BYTES = 16_384;

type BodyReader = Pick<Call, "request" | "config"> & { readonly services: Pick<RequestServices, "timeouts"> };
/** With the room that what is kept in memory takes. */
type BodyBufferer = Pick<Call, "request" | "config" | "address" | "services" | "accounting">;

/**
 * The bytes of a JSON body: null when there is none.
 * @throws AppError `tooLarge` above the limit of the settings, `slow` when they do not come, `tooMany` and `unavailable`
 *   when there is no room, `invalid` for a body that is not declared as JSON, `unsupportedMedia` for a compressed one
 */
export async function readJsonBytes(call: BodyBufferer): Promise<Uint8Array | null> {
  const bytes = await readBody(call);
  if (bytes.length === 0) return null;
  const type = call.request.headers.get("content-type");
  if (!type || !/^application\/json\s*(;.*)?$/i.test(type)) {
    throw new AppError("body.content_type", "The body must be sent with Content-Type: application/json");
  }
  return bytes;
}

/** @throws AppError `unsupportedMedia` when the body is compressed, or encoded in another way */
export function requirePlainEncoding({ headers }: Request): void {
  const encoding = headers.get("content-encoding")?.toLowerCase();
  if (encoding === undefined || encoding === "identity") return;
  throw new AppError("body.unsupported_encoding", "Content-Encoding is not supported: send the body uncompressed");
}

async function readBody(call: BodyBufferer): Promise<Uint8Array> {
  const { request, config } = call;
  requirePlainEncoding(request);
  const contentLength = request.headers.get("content-length");
  if (contentLength !== null && Number(contentLength) > config.maxBody) throw bodyTooLarge(config.maxBody);
  if (!request.body) return new Uint8Array(0);
  if (contentLength !== null && Number(contentLength) <= SMALL_BODY_BYTES) return readSmallBody(call);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readChunks(call, request.body)) {
    length += chunk.length;
    // A length that was declared was held against the limit before; there need not be one.
    if (length > config.maxBody) throw bodyTooLarge(config.maxBody);
    call.services.bodyMemory.acquire(call.accounting.caller ?? call.address, chunk.length);
    call.accounting.bufferedBodyBytes += chunk.length;
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : new Uint8Array(Buffer.concat(chunks));
}

async function readSmallBody({ request, config, services: { timeouts } }: BodyReader): Promise<Uint8Array> {
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
 * The chunks of a body as they come, as long as they do.
 * @throws AppError `slow` when too little comes, `invalid` when the connection ends
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
    // The reading that waits ends with this.
    void reader.cancel().catch(() => {});
  });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => Promise.reject(incompleteBody()));
      if (isTimedOut) throw bodyTooSlow();
      if (done) return;
      // What comes buys time, but never more than there was at first.
      const remainingMs = Math.min(periodMs, timeout.remainingMs + (value.length / MIN_BYTES_PER_S) * 1000);
      // Meanwhile the client waits for us.
      timeout.extend(Number.POSITIVE_INFINITY);
      yield value;
      timeout.extend(remainingMs);
    }
  } finally {
    timeout.cancel();
    // Whoever stops in the middle does not want the rest.
    void reader.cancel().catch(() => {});
  }
}

const bodyTooLarge = (limit: number): AppError =>
  new AppError("limit.body_size", `The body is larger than the ${limit} bytes this server takes`);

const bodyTooSlow = (): AppError => new AppError("slow", "The body did not come in within the time given");

const incompleteBody = (): AppError => new AppError("body.incomplete", "The connection ended before the body did");
