import { guarded } from "../callbacks.ts";

/** The part of `process.stdout` and `process.stderr` that is used here. */
export interface WritableStreamLike {
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Maximum size of the buffer for a reader that has stopped reading. */
const MAX_PENDING_CHARS = 1_048_576;

/**
 * Writes text to stdout or stderr and never fails: a full disk, a closed pipe or a stalled reader must not end the
 * process or fill its memory. Text that cannot be written is dropped.
 */
export class OutputStream {
  readonly #stream: WritableStreamLike;
  readonly #onDropped: (lines: number) => void;
  #pendingChars = 0;
  /** The last write may have ended in the middle of a line. */
  #isLineBroken = false;
  #droppedLines = 0;
  #drained: PromiseWithResolvers<undefined> | null = null;

  /** @param onDropped called with the number of dropped lines */
  constructor(stream: WritableStreamLike, onDropped: (lines: number) => void = () => undefined) {
    this.#stream = stream;
    this.#onDropped = onDropped;
    // Without a listener a stream error ends the process; each write gets the error in its own callback.
    stream.on(
      "error",
      guarded(() => undefined),
    );
  }

  /** The number of dropped lines. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** Writes whole lines. */
  write(text: string): void {
    if (this.#pendingChars > 0 && this.#pendingChars + text.length > MAX_PENDING_CHARS) return this.#drop(text);
    const chunk = this.#isLineBroken ? `\n${text}` : text;
    this.#isLineBroken = false;
    this.#pendingChars += text.length;
    this.#stream.write(chunk, (error) => {
      this.#pendingChars -= text.length;
      if (error) {
        this.#isLineBroken = true;
        this.#drop(text);
      }
      if (this.#pendingChars === 0) this.#drained?.resolve(undefined);
    });
  }

  /** Resolves when everything was written or dropped. */
  async drained(): Promise<void> {
    if (this.#pendingChars === 0) return;
    this.#drained = Promise.withResolvers<undefined>();
    await this.#drained.promise;
  }

  #drop(text: string): void {
    const lines = text.split("\n").length - 1;
    this.#droppedLines += lines;
    this.#onDropped(lines);
  }
}
