import { readChunks, readSmallBody, SMALL_BODY_BYTES } from "../body.ts";
import type { Call } from "../call.ts";

/** Bodies up to this size are kept, so that a request can be sent to another node when the first one is not the owner. */
const MAX_KEPT_BYTES = 1_048_576;

type Bytes = Uint8Array<ArrayBuffer>;

/** The body of a request that is forwarded. */
export class ForwardedBody {
  readonly #call: Call;
  #kept: Bytes | null = null;

  constructor(call: Call) {
    this.#call = call;
  }

  /** @throws AppError `slow`, `invalid`, or `tooMany` and `unavailable` if the memory budget is used up */
  async read(): Promise<Bytes | ReadableStream<Uint8Array> | null> {
    const { request, address, accounting, services } = this.#call;
    const length = Number(request.headers.get("content-length") ?? Number.NaN);
    if (length === 0) return null;
    if (!(length <= MAX_KEPT_BYTES)) return request.body;
    services.bodyMemory.acquire(address, length);
    accounting.bufferedBodyBytes += length;
    this.#kept = await readBytes(this.#call, length);
    return this.#kept;
  }

  /** Gives the request its body back: this node answers after all. */
  restore(): void {
    if (!this.#kept) return;
    const { request, address, accounting, services } = this.#call;
    this.#call.request = new Request(request, { method: request.method, body: this.#kept });
    // Acquired again by the route, for its caller.
    services.bodyMemory.release(address, accounting.bufferedBodyBytes);
    accounting.bufferedBodyBytes = 0;
  }
}

async function readBytes(call: Call, length: number): Promise<Bytes> {
  if (length <= SMALL_BODY_BYTES || !call.request.body) return readSmallBody(call);
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(call, call.request.body)) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
