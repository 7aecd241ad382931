import { guarded } from "../callbacks.ts";

/** What a standard stream needs for this: `process.stdout`, `process.stderr`. */
export interface WritableStreamLike {
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** How much text waits for a reader that has stopped reading. */
const MAX_PENDING_CHARS = 1_048_576;

/**
 * Writes text to stdout or stderr and never fails: a full disk, a closed pipe or a reader that has stopped must not end
 * the process or fill its memory. Text that cannot be written is dropped.
 */
export class OutputStream {
  readonly #stream: WritableStreamLike;
  readonly #onDropped: (lines: number) => void;
  #pendingChars = 0;
  /** The last write may have stopped in the middle of a line. */
  #isLineBroken = false;
  #droppedLines = 0;
  #drained: PromiseWithResolvers<undefined> | null = null;

  /** @param onDropped called with the number of lines that were lost */
  constructor(stream: WritableStreamLike, onDropped: (lines: number) => void = () => undefined) {
    this.#stream = stream;
    this.#onDropped = onDropped;
    // Without a listener an error of the stream ends the process; each write learns of its own.
    stream.on(
      "error",
      guarded(() => undefined),
    );
  }

  /** How many lines were lost. */
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
