import { crc32 } from "node:zlib";
import { type AsyncFlateStreamHandler, Zip, type ZipInputFile } from "fflate";
import { createTarPacker } from "modern-tar";
import { AppError } from "../errors.ts";
import { type FileContent, toStream } from "./attachment-store.ts";

export type ArchiveFormat = "zip" | "tar";

/** A file to write to an archive. */
export interface ArchiveEntry {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number;
  /** Opens the file when it is written; null omits it. */
  open(): Promise<{ readonly content: FileContent; readonly sizeBytes: number } | null>;
}

/**
 * Writes an archive as a stream, one file at a time, at the speed of its consumer. Without compression: most
 * attachments are compressed already. If a file cannot be read, the stream fails with the error.
 */
export const writeArchive = (format: ArchiveFormat, entries: Iterable<ArchiveEntry>): ReadableStream<Uint8Array> =>
  format === "zip" ? writeZip(entries) : writeTar(entries);

/** A zip archive without the zip64 extension cannot store larger offsets. */
const MAX_ZIP_BYTES = 2 ** 32 - 1;
const MAX_ZIP_FILES = 65_535;

/** @throws AppError `tooLarge` if files with these names and sizes exceed one zip archive */
export function checkZipSize(files: readonly { readonly name: string; readonly sizeBytes: number }[]): void {
  // Headers of each file: twice its name, and less than 150 bytes.
  const bytes = files.reduce((sum, { name, sizeBytes }) => sum + sizeBytes + 2 * Buffer.byteLength(name) + 150, 22);
  if (bytes <= MAX_ZIP_BYTES && files.length <= MAX_ZIP_FILES) return;
  throw new AppError("tooLarge", "The attachments exceed the maximum size of a zip archive: use format=tar");
}

/** Range of timestamps that the format can represent. */
const [FIRST_TIME, LAST_TIME] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)];

function writeZip(entries: Iterable<ArchiveEntry>): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = async () => {
    const ready: Uint8Array[] = [];
    const zip = new Zip((error, bytes) => {
      if (error) throw error;
      ready.push(bytes);
    });
    const pass = async () => {
      for (const bytes of ready.splice(0)) await writer.write(bytes);
    };
    for (const { name, modifiedAtMs, open } of entries) {
      const opened = await open();
      if (!opened) continue;
      const file = new StoredFile(name, Math.min(Math.max(modifiedAtMs, FIRST_TIME), LAST_TIME));
      zip.add(file);
      for await (const chunk of toStream(opened.content)) {
        file.push(chunk as Uint8Array<ArrayBuffer>);
        await pass();
      }
      file.end();
      await pass();
    }
    zip.end();
    await pass();
    await writer.close();
  };
  // The consumer receives the error through the stream. If it has gone away, aborting fails, too, and there is no
  // receiver for the error.
  write().catch((error: unknown) => writer.abort(error).catch(() => {}));
  return readable;
}

/** A file that is stored uncompressed in a zip archive. */
class StoredFile implements ZipInputFile {
  readonly filename: string;
  readonly compression = 0;
  readonly mtime: number;
  size = 0;
  crc = 0;
  /** Set by the archive when the file is added. */
  ondata?: AsyncFlateStreamHandler;

  constructor(filename: string, mtime: number) {
    this.filename = filename;
    this.mtime = mtime;
  }

  push(bytes: Uint8Array<ArrayBuffer>): void {
    this.size += bytes.length;
    this.crc = crc32(bytes, this.crc);
    this.ondata?.(null, bytes, false);
  }

  end(): void {
    this.ondata?.(null, new Uint8Array(0), true);
  }
}

function writeTar(entries: Iterable<ArchiveEntry>): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const write = async () => {
    for (const { name, modifiedAtMs, open } of entries) {
      const opened = await open();
      if (!opened) continue;
      const header = { name, size: opened.sizeBytes, mtime: new Date(modifiedAtMs), mode: 0o644 };
      await toStream(opened.content).pipeTo(controller.add(header));
    }
    controller.finalize();
  };
  write().catch((error: unknown) => controller.error(error));
  return readable;
}
