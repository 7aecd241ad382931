import { guarded } from "../lib/callbacks.ts";

/** Maximum buffer for a slow client; beyond it, nothing more is sent. */
const MAX_BUFFERED_BYTES = 16 * 1024;

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

/** A response of server-sent events, open until the connection closes. */
export class EventStream {
  readonly #streams: OpenStreamCounter;
  #isCounted = false;
  readonly #body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Called when the buffer has drained. */
  onDrained = (): void => undefined;
  /** Called when the client disconnects. */
  onDisconnected = (): void => undefined;

  constructor(streams: OpenStreamCounter) {
    this.#streams = streams;
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: guarded(() => this.onDrained()),
        cancel: guarded(() => {
          this.#close();
          this.onDisconnected();
        }),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }),
    );
  }

  /** True while the buffer exceeds its limit. */
  get isLagging(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0;
  }

  /** Ignored after the end. Bytes must not change afterwards. */
  send(content: string | Uint8Array): void {
    this.#controller?.enqueue(typeof content === "string" ? encoder.encode(content) : content);
  }

  /** Ends the stream after the buffered events; immediately if the client does not read them. Idempotent. */
  end(): void {
    const controller = this.#controller;
    if (controller && this.isLagging) controller.error(new Error("the event stream was not read"));
    else controller?.close();
    this.#close();
  }

  toResponse(): Response {
    if (this.#controller) {
      this.#isCounted = true;
      this.#streams.count++;
    }
    return new Response(this.#body, { headers: HEADERS });
  }

  #close(): void {
    this.#controller = null;
    if (!this.#isCounted) return;
    this.#isCounted = false;
    this.#streams.count--;
  }
}
