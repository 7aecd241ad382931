import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../errors.ts";

/** The maximum size of all such files of a thread, in bytes. */
const MAX_TOTAL_BYTES = 1024 ** 3;

let totalBytes = 0;

/**
 * The rest of a response in a temporary file, written while a slow client reads it. It counts as one of the temporary
 * files that `QUERN_TEMP_BYTES` limits, and is removed with the response, or by the next start.
 */
export class ResponseFile implements Disposable {
  readonly #path: string;
  readonly #file: number;
  #written = 0;
  #read = 0;
  #isComplete = false;
  #error: { readonly cause: unknown } | null = null;

  /** @param path of a file that does not exist, in a folder that may be missing */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#path = path;
    this.#file = openSync(path, "wx+", 0o600);
  }

  /** True when everything that was written has been read, and more follows. */
  get isDrained(): boolean {
    return !this.isComplete && this.#read === this.#written;
  }

  /** True once nothing more is appended. */
  get isComplete(): boolean {
    return this.#isComplete || this.#error !== null;
  }

  append(bytes: Uint8Array, { isLast }: { isLast: boolean }): void {
    if (totalBytes + bytes.length > MAX_TOTAL_BYTES) throw tooSlow();
    try {
      for (let at = 0; at < bytes.length;) {
        at += writeSync(this.#file, bytes, at, bytes.length - at, this.#written + at);
      }
    } catch (cause) {
      throw new AppError("storage", "The response cannot be written to a temporary file", { cause });
    }
    this.#written += bytes.length;
    totalBytes += bytes.length;
    this.#isComplete = isLast;
  }

  /** Ends the response with an error once the client has read what was written before. */
  fail(cause: unknown): void {
    this.#error = { cause };
  }

  /** Returns the next bytes, at most `size`. */
  take(size: number): { bytes: Uint8Array; isDone: boolean } {
    const bytes = Buffer.allocUnsafeSlow(Math.min(size, this.#written - this.#read));
    for (let at = 0; at < bytes.length;) {
      const count = readSync(this.#file, bytes, at, bytes.length - at, this.#read + at);
      if (count === 0) throw new Error("The rest of a response was truncated");
      at += count;
    }
    this.#read += bytes.length;
    if (bytes.length === 0 && this.#error) throw this.#error.cause;
    return { bytes, isDone: this.#isComplete && this.#read === this.#written };
  }

  [Symbol.dispose](): void {
    totalBytes -= this.#written;
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

const tooSlow = (): AppError =>
  new AppError("document.unavailable", "The response was read too slowly; request fewer rows at a time", {
    retryAfterS: 1,
  });
