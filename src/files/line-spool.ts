import { createReadStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { AppError } from "../errors.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import { type Line, linesOf } from "../lib/text/json-lines.ts";
import { isStorageFailure, storageError, tooLarge, writeStreamToFile } from "./write-file.ts";
import type { UploadLimits, UploadSource } from "./uploads.ts";

export interface LineSpoolLimits extends Pick<UploadLimits, "folder" | "maxBytes" | "space"> {
  /** Maximum size of a line. */
  readonly maxLineBytes: number;
}

/** Consecutive lines of a body. */
export interface LinePart {
  /** The number of the first line, from 1. */
  readonly firstLine: number;
  /** The lines in UTF-8, each with its line break. */
  readonly bytes: Uint8Array;
}

export interface LinePartLimits {
  /** Maximum number of lines that are not blank. */
  readonly maxLines: number;
  /** A part ends with the line that exceeds this size. */
  readonly maxBytes: number;
}

const NEWLINE = 10;
const BYTE_ORDER_MARK = "\uFEFF";

/** The body of a request with one JSON value per line, in a temporary file. Disposing it deletes the file. */
export class LineSpool implements AsyncDisposable {
  readonly path: string;
  readonly sizeBytes: number;
  /** Number of lines that are not blank. */
  readonly lines: number;
  readonly #maxLineBytes: number;

  private constructor(
    path: string,
    { sizeBytes, lines, maxLineBytes }: { sizeBytes: number; lines: number; maxLineBytes: number },
  ) {
    this.path = path;
    this.sizeBytes = sizeBytes;
    this.lines = lines;
    this.#maxLineBytes = maxLineBytes;
  }

  /**
   * Writes a body to a temporary file.
   * @throws AppError `tooLarge` also for a line that is too long, `invalid` if it is not UTF-8, `storage`; leaves no file
   */
  static async receive({ chunks, sizeBytes }: UploadSource, limits: LineSpoolLimits): Promise<LineSpool> {
    const { folder, maxBytes, maxLineBytes, space } = limits;
    if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge("upload", maxBytes);
    using job = space?.startJob(sizeBytes ?? 0);
    const path = join(folder, temporaryName("lines"));
    const counter = new LineCounter(maxLineBytes);
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks ?? []) {
        job?.signal.throwIfAborted();
        counter.add(chunk);
        yield chunk;
      }
      counter.end();
    };
    try {
      const written = await writeStreamToFile(Readable.from(counted()), path, maxBytes);
      job?.check();
      return new LineSpool(path, { sizeBytes: written.sizeBytes, lines: counter.lines, maxLineBytes });
    } catch (error) {
      await rm(path, { force: true });
      if (error instanceof AppError) throw error;
      if (isStorageFailure(error)) throw storageError(error);
      throw error;
    }
  }

  /** Returns the lines that are not blank; for small bodies. */
  async readLines(): Promise<Line[]> {
    const text = await readFile(this.path, "utf8");
    return linesOf(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  }

  /** Reads the body in parts of whole lines. */
  async *parts({ maxLines, maxBytes }: LinePartLimits): AsyncGenerator<LinePart> {
    let pieces: Uint8Array[] = [];
    let size = 0;
    let lines = 0;
    let firstLine = 1;
    let nextLine = 1;
    let isBlank = true;
    const take = (): LinePart => {
      const part = { firstLine, bytes: new Uint8Array(Buffer.concat(pieces)) };
      pieces = [];
      size = 0;
      lines = 0;
      firstLine = nextLine;
      return part;
    };
    const add = (piece: Uint8Array): void => {
      pieces.push(piece);
      size += piece.length;
      isBlank &&= isBlankText(piece);
    };
    for await (const chunk of this.#chunks()) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, end + 1));
        start = end + 1;
        nextLine++;
        if (!isBlank) lines++;
        isBlank = true;
        if (lines >= maxLines || size >= maxBytes) yield take();
      }
      if (start < chunk.length) add(chunk.subarray(start));
    }
    if (size > 0) yield take();
  }

  /** Yields the body without its byte order mark. */
  async *#chunks(): AsyncGenerator<Uint8Array> {
    let isFirst = true;
    for await (const chunk of createReadStream(this.path, { highWaterMark: Math.min(this.#maxLineBytes, 1024 ** 2) })) {
      const bytes = chunk as Uint8Array;
      const hasMark = isFirst && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
      isFirst = false;
      yield hasMark ? bytes.subarray(3) : bytes;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** Counts the lines of a body as it arrives, and checks them. */
class LineCounter {
  lines = 0;
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #lineBytes = 0;
  #number = 1;
  #isBlank = true;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  add(chunk: Uint8Array): void {
    this.#decode(chunk);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#addPiece(chunk.subarray(start, end));
      start = end + 1;
      this.#endLine();
    }
    this.#addPiece(chunk.subarray(start));
  }

  end(): void {
    this.#decode(null);
    this.#endLine();
  }

  #decode(chunk: Uint8Array | null): void {
    try {
      if (chunk) this.#decoder.decode(chunk, { stream: true });
      else this.#decoder.decode();
    } catch {
      throw new AppError("body.invalid_json", "The body is not valid UTF-8");
    }
  }

  #addPiece(piece: Uint8Array): void {
    this.#lineBytes += piece.length;
    this.#isBlank &&= isBlankText(piece);
    if (this.#lineBytes > this.#maxLineBytes) {
      throw new AppError("limit.body_size", `Line ${this.#number} exceeds the limit of ${this.#maxLineBytes} bytes`, {
        details: { line: this.#number },
      });
    }
  }

  #endLine(): void {
    if (!this.#isBlank) this.lines++;
    this.#number++;
    this.#lineBytes = 0;
    this.#isBlank = true;
  }
}

/** True if a piece of a line has only white space. */
function isBlankText(piece: Uint8Array): boolean {
  for (const byte of piece) if (byte !== 32 && (byte < 9 || byte > 13)) return false;
  return true;
}
