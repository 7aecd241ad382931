import { Busboy, type BusboyFileStream, type BusboyInstance } from "@fastify/busboy";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError, invalid } from "../errors.ts";
import { newUuid } from "../lib/ids.ts";

/** An upload as it comes in. */
export interface UploadSource {
  /** The value of Content-Type. */
  readonly type: string | null;
  /** What Content-Length says; null when it is unknown. */
  readonly sizeBytes: number | null;
  readonly body: ReadableStream<Uint8Array> | null;
}

export interface UploadLimits {
  /** Where files are put while they are looked at. */
  readonly folder: string;
  /** For all of it together. */
  readonly maxBytes: number;
}

export interface UploadedFile {
  /** The form's field. */
  readonly field: string;
  /** As its owner called it, without folders. */
  readonly name: string;
  readonly path: string;
}

/** A received form. Its files are gone when it is disposed of. */
export interface Upload extends AsyncDisposable {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly UploadedFile[];
}

const MAX_FIELDS = 100;
const MAX_FILES = 1000;
const MAX_FIELD_BYTES = 1024 ** 2;

/**
 * Receives a multipart/form-data body, its files straight to disk: however large, little of it is in memory.
 * @throws AppError `unsupportedMedia` for another type, `invalid` when it is malformed or ends early, `tooLarge`;
 *   nothing is left on disk then
 */
export async function receiveUpload(source: UploadSource, { folder, maxBytes }: UploadLimits): Promise<Upload> {
  const { type, sizeBytes, body } = source;
  if (!type || !/^multipart\/form-data\s*;.*boundary=/i.test(type)) {
    throw new AppError("unsupportedMedia", "An upload must be sent as multipart/form-data");
  }
  if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge(maxBytes);
  const received = new Receiver(folder);
  try {
    // Node's streams take the web's, but their types differ in what a reader may ask for.
    const stream = Readable.fromWeb((body ?? new Blob([]).stream()) as Parameters<typeof Readable.fromWeb>[0]);
    const parser = received.parser(type);
    await pipeline(stream, (chunks: AsyncIterable<Uint8Array>) => counted(chunks, maxBytes), parser);
    await received.written();
    return received;
  } catch (error) {
    await received.giveUp();
    throw error instanceof AppError || isOfDisk(error) ? error : invalid("The upload is malformed or ends early");
  }
}

class Receiver implements Upload {
  readonly fields = Object.create(null) as Record<string, string>;
  readonly files: UploadedFile[] = [];
  readonly #folder: string;
  readonly #streams: BusboyFileStream[] = [];
  readonly #writes: Promise<void>[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  parser(type: string): BusboyInstance {
    const limits = { fields: MAX_FIELDS, files: MAX_FILES, fieldSize: MAX_FIELD_BYTES, headerPairs: 100 };
    const parser = new Busboy({ headers: { "content-type": type }, limits });
    parser.on("field", (name, value) => void (this.fields[name] = value));
    parser.on("file", (field, stream, name) => this.#take(field, stream, name));
    for (const limit of ["fieldsLimit", "filesLimit"]) {
      parser.on(limit, () => parser.destroy(invalid("The upload has too many parts")));
    }
    return parser;
  }

  #take(field: string, stream: BusboyFileStream, name: string | undefined): void {
    const path = join(this.#folder, `upload-${newUuid()}`);
    this.files.push({ field, name: name || "upload", path });
    this.#streams.push(stream);
    const write = pipeline(stream, createWriteStream(path, { flags: "wx", mode: 0o600 }));
    // Looked at when all has come; until then a failure must not count as unhandled.
    write.catch(() => {});
    this.#writes.push(write);
  }

  /** Waits until every file is on disk. */
  async written(): Promise<void> {
    await Promise.all(this.#writes);
  }

  /** Ends what is still being written, and removes it. */
  async giveUp(): Promise<void> {
    for (const stream of this.#streams) stream.destroy();
    await Promise.allSettled(this.#writes);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { path } of this.files) await rm(path, { force: true });
  }
}

/** Passes everything on and stops when there is too much, whatever the client declared. */
async function* counted(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

const tooLarge = (limit: number): AppError =>
  new AppError("tooLarge", `The upload is larger than the ${limit} bytes this server takes`);

/** A full or failing disk is no fault of the upload's. */
const isOfDisk = (error: unknown): boolean =>
  /^(ENOSPC|EIO|EDQUOT|EROFS|EACCES|ENOENT|EMFILE)$/.test(String((error as { code?: unknown } | null)?.code));
