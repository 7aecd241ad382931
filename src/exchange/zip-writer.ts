import { constants, crc32, deflateRawSync } from "node:zlib";
import { type AsyncFlateStreamHandler, Zip, type ZipInputFile } from "fflate";

/** Bytes that are compressed at a time. */
const COMPRESS_CHUNK_BYTES = 262_144;
/** Higher levels take much longer for little gain. */
const COMPRESSION_LEVEL = 4;
/** Range of timestamps that the format can represent. */
const [FIRST_TIME, LAST_TIME] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)];

const encoder = new TextEncoder();

/** Writes a zip archive file by file, as a stream. */
export class ZipWriter {
  readonly #readyChunks: Uint8Array[] = [];
  readonly #zip = new Zip((error, bytes) => {
    if (error) throw error;
    this.#readyChunks.push(bytes);
  });
  readonly #time: number;

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#time = Math.min(Math.max(now, FIRST_TIME), LAST_TIME);
  }

  /** Adds a text file with an ASCII name. Yields a chunk, which may be empty, for each text. */
  *file(name: string, texts: Iterable<string>): Generator<Uint8Array, void> {
    const file = new CompressedFile(name, this.#time);
    this.#zip.add(file);
    for (const text of texts) {
      file.push(text);
      yield* this.#takeReady();
    }
    file.end();
    yield* this.#takeReady();
  }

  /** Ends the archive. Call after all files have been added. */
  *end(): Generator<Uint8Array, void> {
    this.#zip.end();
    yield* this.#takeReady();
  }

  *#takeReady(): Generator<Uint8Array, void> {
    const ready = this.#readyChunks.splice(0);
    yield ready.length === 1 && ready[0] ? ready[0] : Buffer.concat(ready);
  }
}

/** A file compressed by the platform's zlib, which is several times as fast as the library's own code. */
class CompressedFile implements ZipInputFile {
  readonly filename: string;
  readonly compression = 8;
  readonly mtime: number;
  size = 0;
  crc = 0;
  /** Set by the archive when the file is added. */
  ondata?: AsyncFlateStreamHandler;
  #pendingTexts: string[] = [];
  #pendingLength = 0;

  constructor(filename: string, mtime: number) {
    this.filename = filename;
    this.mtime = mtime;
  }

  push(text: string): void {
    this.#pendingTexts.push(text);
    this.#pendingLength += text.length;
    if (this.#pendingLength >= COMPRESS_CHUNK_BYTES) this.#compress({ isLast: false });
  }

  end(): void {
    this.#compress({ isLast: true });
  }

  #compress({ isLast }: { isLast: boolean }): void {
    const bytes = encoder.encode(this.#pendingTexts.join(""));
    this.#pendingTexts = [];
    this.#pendingLength = 0;
    this.size += bytes.length;
    this.crc = crc32(bytes, this.crc);
    // Flushed chunks end at byte boundaries, so they can be concatenated.
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata?.(null, deflateRawSync(bytes, { level: COMPRESSION_LEVEL, finishFlush }), isLast);
  }
}
