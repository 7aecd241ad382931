import { crc32 } from "node:zlib";
import { type AsyncFlateStreamHandler, Zip, type ZipInputFile } from "fflate";
import { createTarPacker } from "modern-tar";
import { AppError } from "../errors.ts";
import { type FileContent, toStream } from "./attachment-store.ts";

export type ArchiveFormat = "zip" | "tar";

/** A file of an archive that is being written. */
export interface ArchiveEntry {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number;
  /** Called when it is its turn; null leaves it out. */
  open(): Promise<{ readonly content: FileContent; readonly sizeBytes: number } | null>;
}

/**
 * Writes an archive as fast as it is read, one file after the other, however large they are. Nothing is compressed:
 * most attachments are already. When a file cannot be read the archive breaks off with the error.
 */
export const writeArchive = (format: ArchiveFormat, entries: Iterable<ArchiveEntry>): ReadableStream<Uint8Array> =>
  format === "zip" ? writeZip(entries) : writeTar(entries);

/** Beyond this the plain form of a zip archive cannot say where its files begin. */
const MAX_ZIP_BYTES = 2 ** 32 - 1;
const MAX_ZIP_FILES = 65_535;

/** @throws AppError `tooLarge` when files of these names and sizes do not fit one zip archive */
export function checkZipSize(files: readonly { readonly name: string; readonly sizeBytes: number }[]): void {
  // What stands around each file: twice its name, and less than 150 bytes.
  const bytes = files.reduce((sum, { name, sizeBytes }) => sum + sizeBytes + 2 * Buffer.byteLength(name) + 150, 22);
  if (bytes <= MAX_ZIP_BYTES && files.length <= MAX_ZIP_FILES) return;
  throw new AppError("tooLarge", "The attachments are too many or too large for a zip archive: ask for format=tar");
}

/** The format's times begin and end here. */
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
  // Whoever reads learns of it by the stream; when nobody does any more, there is nobody to tell.
  write().catch((error: unknown) => writer.abort(error).catch(() => {}));
  return readable;
}

/** A file of a zip archive that stands in it as it is. */
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
