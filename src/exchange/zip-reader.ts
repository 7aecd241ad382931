import type { Readable } from "node:stream";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { AppError, invalidFile } from "../errors.ts";

/** What a small file may unfold to before anybody looks at how small it was, in bytes. */
const UNCHECKED_BYTES = 8 * 1024 ** 2;
/** How many times its size a file may unfold to. */
const MAX_COMPRESSION_RATIO = 200;
const MAX_FILES = 10_000;

/**
 * The files in a zip archive, unfolded one at a time as they are read. What was packed to unfold without end is
 * refused: by what the archive says of itself, and by counting what really comes.
 */
export class ZipReader implements Disposable {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #maxBytes: number;
  #unpackedBytes = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, maxBytes: number) {
    this.#zip = zip;
    this.#entries = entries;
    this.#maxBytes = maxBytes;
  }

  /**
   * @param maxBytes how much all that is read may unfold to
   * @throws AppError `invalid` for a file that is no archive, or a damaged one
   */
  static async open(path: string, maxBytes: number): Promise<ZipReader> {
    const zip = await withArchiveErrors(openPromise(path, { lazyEntries: true, autoClose: false }));
    try {
      const entries = new Map<string, Entry>();
      if (zip.entryCount > MAX_FILES) throw invalidFile(`The archive holds more than ${MAX_FILES} files`);
      await withArchiveErrors(collectEntries(zip, entries));
      return new ZipReader(zip, entries, maxBytes);
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * A file's bytes, portion after portion.
   * @throws AppError `invalid` when it is missing or damaged, `tooLarge`
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name);
    if (!entry) throw invalidFile(`The file lacks its part ${name}`);
    const { compressedSize, uncompressedSize } = entry;
    if (uncompressedSize > UNCHECKED_BYTES && uncompressedSize > compressedSize * MAX_COMPRESSION_RATIO)
      throw zipBombError();
    if (this.#unpackedBytes + uncompressedSize > this.#maxBytes) throw this.#tooLarge();
    const stream: Readable = await withArchiveErrors(this.#zip.openReadStreamPromise(entry));
    const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    try {
      for (
        let next = await withArchiveErrors(chunks.next());
        !next.done;
        next = await withArchiveErrors(chunks.next())
      ) {
        this.#unpackedBytes += next.value.length;
        if (this.#unpackedBytes > this.#maxBytes) throw this.#tooLarge();
        yield next.value;
      }
    } finally {
      stream.destroy();
    }
  }

  [Symbol.dispose](): void {
    this.#zip.close();
  }

  #tooLarge(): AppError {
    return new AppError("tooLarge", `The file unfolds to more than the ${this.#maxBytes} bytes that are read of it`);
  }
}

async function collectEntries(zip: ZipFile, entries: Map<string, Entry>): Promise<void> {
  for await (const entry of zip.eachEntry()) if (!entry.isEncrypted()) entries.set(entry.fileName, entry);
}

const zipBombError = (): AppError =>
  new AppError("tooLarge", "The file unfolds to hundreds of times its size: it is not read");

/** What goes wrong in reading an archive is the archive's fault. */
async function withArchiveErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("file.invalid", "The file is no workbook (.xlsx), or is damaged", { cause });
  }
}
