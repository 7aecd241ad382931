import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { runEvery } from "./time/timers.ts";

export interface TemporarySpaceOptions {
  /** Folder of temporary files. */
  readonly folder: string;
  /** Maximum size of all temporary files. */
  readonly maxBytes: number;
  /** Creates the error for a job beyond the limit. */
  readonly limitError: () => Error;
}

/** A job that writes temporary files. Disposing it ends the job, not its files. */
export interface TemporaryJob extends Disposable {
  /** Aborted with the `limitError` when the temporary files exceed the limit. */
  readonly signal: AbortSignal;
  /** Throws the `limitError` when the temporary files exceed the limit, for a job faster than the measurements. */
  check(): void;
}

/** Files of a process that are not in the folder: SQLite deletes its temporary files while it uses them. */
export interface UnlistedFiles extends Disposable {
  /**
   * Sets the size of the files.
   * @returns false if all temporary files together exceed the limit
   */
  resize(bytes: number): boolean;
}

/** How often the files are measured while jobs write them. */
const MEASURE_INTERVAL_MS = 50;

/**
 * Limits the size of temporary files: uploads, parsed rows, documents under construction, copies for downloads, sorted
 * rows of SQL queries. The files are measured rather than counted by their writers, so that none is missed, whether
 * SQLite, a worker thread or a crashed server has written it. Beyond the limit, the job that started last is aborted.
 */
export class TemporarySpace {
  readonly folder: string;
  readonly #maxBytes: number;
  readonly #limitError: () => Error;
  /** In the order of their start. */
  readonly #jobs = new Set<AbortController>();
  readonly #unlisted = new Map<object, number>();
  #stopMeasuring: (() => void) | undefined;
  #discardUnused: (() => void) | undefined;

  constructor({ folder, maxBytes, limitError }: TemporarySpaceOptions) {
    this.folder = folder;
    this.#maxBytes = maxBytes;
    this.#limitError = limitError;
  }

  /** Sets a function that deletes the files of a cache, as far as they are not in use. It is called before a job fails. */
  set discardUnused(discard: () => void) {
    this.#discardUnused = discard;
  }

  /** Returns the size of all temporary files. */
  usedBytes(): number {
    let bytes = folderBytes(this.folder);
    for (const size of this.#unlisted.values()) bytes += size;
    return bytes;
  }

  /**
   * Starts a job.
   * @param expectedBytes the minimum size of what it will write
   * @throws the `limitError` if that exceeds the limit
   */
  startJob(expectedBytes: number): TemporaryJob {
    if (this.#isExceeded(expectedBytes)) throw this.#limitError();
    const controller = new AbortController();
    this.#jobs.add(controller);
    this.#stopMeasuring ??= runEvery(MEASURE_INTERVAL_MS, () => this.#enforce());
    return {
      signal: controller.signal,
      check: () => {
        if (this.#isExceeded()) throw this.#limitError();
      },
      [Symbol.dispose]: () => {
        this.#jobs.delete(controller);
        if (this.#jobs.size === 0) this.#stop();
      },
    };
  }

  /** Counts files that are not in the folder, until disposal. */
  addUnlisted(): UnlistedFiles {
    const key = {};
    return {
      resize: (bytes) => {
        this.#unlisted.set(key, bytes);
        return !this.#isExceeded();
      },
      [Symbol.dispose]: () => void this.#unlisted.delete(key),
    };
  }

  #enforce(): void {
    if (!this.#isExceeded()) return;
    const last = [...this.#jobs].at(-1);
    if (!last) return;
    this.#jobs.delete(last);
    if (this.#jobs.size === 0) this.#stop();
    last.abort(this.#limitError());
  }

  #isExceeded(expectedBytes = 0): boolean {
    const isAbove = () => this.usedBytes() + expectedBytes > this.#maxBytes;
    if (!isAbove()) return false;
    this.#discardUnused?.();
    return isAbove();
  }

  #stop(): void {
    this.#stopMeasuring?.();
    this.#stopMeasuring = undefined;
  }
}

/** Returns the size of the files in a folder and its subfolders; files may disappear meanwhile. */
function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? folderBytes(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  return bytes;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
