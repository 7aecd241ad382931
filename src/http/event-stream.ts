import { guarded } from "../lib/callbacks.ts";

/** Maximum buffer for a slow client. */
const MAX_BUFFERED_BYTES = 16 * 1024;
/**
 * The runtime copies what a client does not take at once, and passes on parts of this size without a copy if no smaller
 * one precedes them. Its copies remain in memory as long as the connection, so small contents are joined with the next.
 */
const PART_BYTES = 16 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // Disables buffering in nginx.
  "X-Accel-Buffering": "no",
};

const encoder = new TextEncoder();

/** Counts open streams: they are not requests in flight. */
export interface OpenStreamCounter {
  count: number;
  /** Functions that end the streams of other nodes of a cluster. */
  forwarded?: Set<() => void>;
}

interface QueuedContent {
  readonly bytes: Uint8Array;
  readonly onTaken: (() => void) | undefined;
}

/** A response of server-sent events, open until the connection closes. */
export class EventStream {
  readonly #streams: OpenStreamCounter;
  #isCounted = false;
  readonly #body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #queue: QueuedContent[] = [];
  #queuedBytes = 0;
  /** To be called for contents that have left the queue. */
  readonly #taken: (() => void)[] = [];
  /** How much of the first content in the queue has been passed on. */
  #offset = 0;
  /** True while the connection waits for the next part. */
  #isRequested = false;
  #partsTaken = 0;
  /** Called when the buffer has drained. */
  onDrained = (): void => undefined;
  /** Called when the client disconnects. */
  onDisconnected = (): void => undefined;

  constructor(streams: OpenStreamCounter) {
    this.#streams = streams;
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: guarded(() => {
          this.#isRequested = true;
          this.#passOn();
          if (this.#queue.length === 0) this.onDrained();
        }),
        cancel: guarded(() => {
          this.#close();
          this.onDisconnected();
        }),
      },
      { highWaterMark: 0 },
    );
  }

  /** True while the buffer exceeds its limit. */
  get isLagging(): boolean {
    return !this.#controller || this.#queuedBytes >= MAX_BUFFERED_BYTES;
  }

  /** Grows while the client reads. */
  get partsTaken(): number {
    return this.#partsTaken;
  }

  /**
   * Ignored after the end. Bytes must not change afterwards.
   * @param onTaken called once when the stream no longer holds the bytes
   */
  send(content: string | Uint8Array, onTaken?: () => void): void {
    if (!this.#controller) return onTaken?.();
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    this.#queue.push({ bytes, onTaken });
    this.#queuedBytes += bytes.length;
    this.#passOn();
  }

  /** Ends the stream after the buffered events; immediately if the client does not read them. Idempotent. */
  end(): void {
    const controller = this.#controller;
    if (controller && this.isLagging) controller.error(new Error("the event stream was not read"));
    else {
      while (this.#queue.length > 0) controller?.enqueue(this.#takePart());
      controller?.close();
    }
    this.#close();
  }

  toResponse(): Response {
    if (this.#controller) {
      this.#isCounted = true;
      this.#streams.count++;
    }
    return new Response(this.#body, { headers: HEADERS });
  }

  /** Passes on the next part of the queue if the connection waits for it. */
  #passOn(): void {
    if (!this.#isRequested || this.#queue.length === 0) return;
    this.#isRequested = false;
    // May call this function again.
    this.#controller?.enqueue(this.#takePart());
    for (const onTaken of this.#taken.splice(0)) onTaken();
  }

  /** Removes a part from the queue. */
  #takePart(): Uint8Array {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < PART_BYTES) {
      const [next] = this.#queue;
      if (!next) break;
      const part = next.bytes.subarray(this.#offset, this.#offset + PART_BYTES - length);
      parts.push(part);
      length += part.length;
      this.#offset += part.length;
      if (this.#offset < next.bytes.length) break;
      this.#queue.shift();
      if (next.onTaken) this.#taken.push(next.onTaken);
      this.#offset = 0;
    }
    this.#partsTaken++;
    this.#queuedBytes -= length;
    const [only] = parts;
    return only && parts.length === 1 ? only : Buffer.concat(parts);
  }

  #close(): void {
    this.#controller = null;
    const queue = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    for (const onTaken of this.#taken.splice(0)) onTaken();
    for (const { onTaken } of queue) onTaken?.();
    if (!this.#isCounted) return;
    this.#isCounted = false;
    this.#streams.count--;
  }
}
