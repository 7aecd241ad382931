import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { PageSet } from "./page-set.ts";
import {
  type Checksum,
  FRAME_HEADER_BYTES,
  HEADER_BYTES,
  parseFrame,
  parseHeader,
  type WalHeader,
} from "./wal-format.ts";

/** The frames that were committed since the last read. */
export type WalRead =
  | { readonly kind: "none" }
  /** The last version of each page, of one commit or several. */
  | { readonly kind: "pages"; readonly pages: PageSet; readonly commits: number }
  /** More pages than the reader may return. */
  | { readonly kind: "large"; readonly commits: number }
  /** The log was emptied or began again before it was read to its end; the next read continues after the last commit. */
  | { readonly kind: "discontinuity" };

export interface WalReaderOptions {
  /** Above this size of all pages a read returns none of them. */
  readonly maxBytes?: number;
}

/** How far a log was read. */
interface Position {
  readonly log: WalHeader;
  /** End of the last commit. */
  readonly offset: number;
  /** Checksum up to there. */
  readonly checksum: Checksum;
}

interface Scan {
  readonly end: Position;
  readonly commits: number;
  /** Size of the database in pages after the last commit. */
  readonly databasePages: number;
  /** Where the content of the last version of each page is. */
  readonly contents: ReadonlyMap<number, number>;
}

const MAX_BYTES = 8 * 1024 ** 2;
/** Enough for most commits; a multiple of eight, so that words are aligned. */
const FIRST_READ_BYTES = 64 * 1024;
const NEXT_READ_BYTES = 1024 ** 2;

/**
 * Reads the frames of committed transactions from the write-ahead log of a database that a connection of this process
 * has open. Frames of transactions that were rolled back, or are not complete, are skipped. It opens only the log, on
 * which SQLite takes no locks: closing a handle of the database itself would drop those of the whole process.
 */
export class WalReader implements Disposable {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: number | null = null;
  /** Null while there is no log, or an empty one. */
  #position: Position | null = null;
  /** True after a checkpoint: everything that the log may lose has been read. */
  #mayRestart = false;
  readonly #firstRead = new Uint8Array(FIRST_READ_BYTES);

  /** Begins after the last commit that the log contains now. @param path of the database */
  constructor(path: string, { maxBytes = MAX_BYTES }: WalReaderOptions = {}) {
    this.#path = `${path}-wal`;
    this.#maxBytes = maxBytes;
    this.skip();
  }

  /** Size of the log up to the end of the last commit. */
  get logBytes(): number {
    return this.#position?.offset ?? 0;
  }

  /** Returns what was committed since the last read. */
  read(): WalRead {
    const log = this.#readHeader();
    const position = this.#position;
    if (position && (!log || !isSameLog(log, position.log))) {
      if (!this.#mayRestart) {
        this.skip();
        return { kind: "discontinuity" };
      }
      this.#position = null;
    }
    if (!log) return { kind: "none" };
    const scan = this.#scan(this.#position ?? startOf(log));
    if (scan.commits === 0) return { kind: "none" };
    this.#position = scan.end;
    this.#mayRestart = false;
    const { commits } = scan;
    if (scan.contents.size * log.pageSize > this.#maxBytes) return { kind: "large", commits };
    return { kind: "pages", pages: this.#readPages(scan), commits };
  }

  /** Continues after the last commit, without reading those before. */
  skip(): void {
    const log = this.#readHeader();
    const before = this.#position;
    if (!log) this.#position = null;
    else this.#position = this.#scan(before && isSameLog(log, before.log) ? before : startOf(log)).end;
    this.#mayRestart = false;
  }

  /**
   * Call after a checkpoint by the database's own connection that began when everything was read: the log may be empty
   * or begin again without a discontinuity.
   */
  checkpointed(): void {
    this.#mayRestart = true;
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #readHeader(): WalHeader | null {
    // Another process may have deleted the log.
    if (this.#file !== null && fstatSync(this.#file).nlink === 0) this.#close();
    this.#file ??= openIfExists(this.#path);
    if (this.#file === null) return null;
    const bytes = this.#firstRead.subarray(0, HEADER_BYTES);
    return parseHeader(bytes.subarray(0, readSync(this.#file, bytes, 0, HEADER_BYTES, 0)));
  }

  /** Verifies the frames after `from` up to the last commit. */
  #scan(from: Position): Scan {
    const { log } = from;
    const frameBytes = FRAME_HEADER_BYTES + log.pageSize;
    let end = from;
    let commits = 0;
    let databasePages = 0;
    const contents = new Map<number, number>();
    /** Pages of a transaction whose last frame has not been found. */
    let uncommitted = new Map<number, number>();
    let { offset, checksum } = from;
    for (;;) {
      const bytes = this.#readFrom(offset, offset === from.offset);
      const frames = Math.floor(bytes.length / frameBytes);
      for (let at = 0; at < frames * frameBytes; at += frameBytes) {
        const frame = parseFrame(bytes.subarray(at, at + frameBytes), log, checksum);
        if (!frame) return { end, commits, databasePages, contents };
        uncommitted.set(frame.page, offset + FRAME_HEADER_BYTES);
        ({ checksum } = frame);
        offset += frameBytes;
        if (frame.databasePages === 0) continue;
        for (const [page, content] of uncommitted) contents.set(page, content);
        uncommitted = new Map();
        commits++;
        ({ databasePages } = frame);
        end = { log, offset, checksum };
      }
      if (frames === 0) return { end, commits, databasePages, contents };
    }
  }

  #readPages({ end, databasePages, contents }: Scan): PageSet {
    const { pageSize } = end.log;
    // A transaction may have written pages that were cut off at its end.
    const numbers = [...contents.keys()].filter((page) => page <= databasePages).toSorted((a, b) => a - b);
    const content = new Uint8Array(numbers.length * pageSize);
    for (const [index, page] of numbers.entries()) {
      this.#readContent(content.subarray(index * pageSize, (index + 1) * pageSize), contents.get(page) ?? 0);
    }
    return { pageSize, databasePages, numbers, content };
  }

  #readContent(into: Uint8Array, offset: number): void {
    if (this.#file === null || readSync(this.#file, into, 0, into.length, offset) !== into.length) {
      throw new Error("The write-ahead log was truncated while it was read");
    }
  }

  #readFrom(offset: number, isFirst: boolean): Uint8Array {
    if (this.#file === null) return new Uint8Array();
    const bytes = isFirst ? this.#firstRead : new Uint8Array(NEXT_READ_BYTES);
    return bytes.subarray(0, readSync(this.#file, bytes, 0, bytes.length, offset));
  }
}

const isSameLog = (a: WalHeader, b: WalHeader): boolean =>
  a.salts[0] === b.salts[0] && a.salts[1] === b.salts[1] && a.pageSize === b.pageSize;

const startOf = (log: WalHeader): Position => ({ log, offset: HEADER_BYTES, checksum: log.checksum });

function openIfExists(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
