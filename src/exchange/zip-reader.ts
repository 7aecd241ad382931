import type { Readable } from "node:stream";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { AppError, invalidFile } from "../errors.ts";

/** The compression ratio is not checked below this number of unpacked bytes. */
const UNCHECKED_BYTES = 8 * 1024 ** 2;
/** Maximum compression ratio of a file. */
const MAX_COMPRESSION_RATIO = 200;
const MAX_FILES = 10_000;

/**
 * The files in a zip archive, unpacked as they are read. Rejects decompression bombs: by the sizes that the archive
 * declares, and by counting the unpacked bytes.
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
   * @param maxBytes maximum of all unpacked bytes
   * @throws AppError `invalid` for a file that is not an archive, or a damaged one
   */
  static async open(path: string, maxBytes: number): Promise<ZipReader> {
    const zip = await withArchiveErrors(openPromise(path, { lazyEntries: true, autoClose: false }));
    try {
      const entries = new Map<string, Entry>();
      if (zip.entryCount > MAX_FILES) throw invalidFile(`The archive contains more than ${MAX_FILES} files`);
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
   * Streams a file's bytes.
   * @throws AppError `invalid` if it is missing or damaged, `tooLarge`
   */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name);
    if (!entry) throw invalidFile(`The file is missing the part ${name}`);
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
    return new AppError("tooLarge", `The file unpacks to more than ${this.#maxBytes} bytes`);
  }
}

async function collectEntries(zip: ZipFile, entries: Map<string, Entry>): Promise<void> {
  for await (const entry of zip.eachEntry()) if (!entry.isEncrypted()) entries.set(entry.fileName, entry);
}

const zipBombError = (): AppError => new AppError("tooLarge", "The file unpacks to hundreds of times its size");

/** Converts errors of reading to errors about the archive. */
async function withArchiveErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("file.invalid", "Not a valid .xlsx file", { cause });
  }
}
