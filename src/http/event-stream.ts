import { guarded } from "../lib/callbacks.ts";

/** What it may hold for somebody who takes it slowly; beyond, nothing more is given to it. */
const MAX_BUFFERED_BYTES = 16 * 1024;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // Asks nginx not to gather what is meant to arrive at once.
  "X-Accel-Buffering": "no",
};

const encoder = new TextEncoder();

/** Counts streams that somebody reads: they are no requests that the server has to get done. */
export interface OpenStreamCounter {
  count: number;
}

/** The answer of a stream of server-sent events, as long as the connection lasts. */
export class EventStream {
  readonly #streams: OpenStreamCounter;
  #isCounted = false;
  readonly #body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Called when everything that waited was taken. */
  onDrained = (): void => undefined;
  /** Called when nobody reads any more. */
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

  /** True while it holds more than it should. */
  get isLagging(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0;
  }

  /** Fine after the end. */
  send(text: string): void {
    this.#controller?.enqueue(encoder.encode(text));
  }

  /** Ends after what waits; at once, if that is not taken. Twice is fine. */
  end(): void {
    const controller = this.#controller;
    if (controller && this.isLagging) controller.error(new Error("the stream of events was not read"));
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
