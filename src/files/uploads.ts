import type { Busboy, BusboyFileStream, BusboyInstance } from "@fastify/busboy";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import type { TemporarySpace } from "../lib/temporary-space.ts";
import { storageError, isStorageFailure, tooLarge, writeStreamToFile, type WrittenFile } from "./write-file.ts";

/** An incoming upload. */
export interface UploadSource {
  /** The value of Content-Type. */
  readonly type: string | null;
  /** The value of Content-Length; null if unknown. */
  readonly sizeBytes: number | null;
  /** The body; its errors are AppErrors. */
  readonly chunks: AsyncIterable<Uint8Array> | null;
}

export interface UploadLimits {
  /** Folder of temporary files. */
  readonly folder: string;
  /** Maximum size of the whole upload. */
  readonly maxBytes: number;
  /** Maximum size of each file; defaults to `maxBytes`. */
  readonly maxFileBytes?: number;
  /** Maximum number of files; 1000 by default. */
  readonly maxFiles?: number;
  /** Limits the size of all temporary files together. */
  readonly space?: TemporarySpace | undefined;
}

export interface UploadOptions extends UploadLimits {
  /** Keeps the folders in names; by default, only the part after the last slash is kept. */
  readonly keepPaths?: boolean;
  /** For forms in which fields have the same name, or are needed when the upload is refused. */
  readonly texts?: TextReceiver;
}

/** Receives the texts of a form in their order. */
export interface TextReceiver {
  /** Maximum number of texts. */
  readonly maxTexts: number;
  /** Maximum size of all texts together. */
  readonly maxBytes: number;
  add(name: string, text: string): void;
}

export interface UploadedFile extends WrittenFile {
  /** The name of the form field. */
  readonly field: string;
  /** The name that the client sent. */
  readonly name: string;
  /** The media type that the client declared, without parameters. */
  readonly type: string;
}

/** A received form. Disposing it deletes its files. */
export interface Upload extends AsyncDisposable {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly UploadedFile[];
}

const MAX_FIELDS = 100;
const MAX_FILES = 1000;
const MAX_FIELD_BYTES = 1024 ** 2;

/**
 * Receives a multipart/form-data body and streams its files to disk.
 * @throws AppError `unsupportedMedia` for another type, `invalid` if it is malformed or truncated, `tooLarge`,
 * `storage`; deletes all files in these cases
 */
export async function receiveUpload(source: UploadSource, options: UploadOptions): Promise<Upload> {
  const { type, sizeBytes, chunks } = source;
  const { maxBytes } = options;
  if (!type || !/^multipart\/form-data\s*;.*boundary=/i.test(type)) {
    throw new AppError("unsupportedMedia", "An upload must be sent as multipart/form-data");
  }
  if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge("upload", maxBytes);
  using job = options.space?.startJob(sizeBytes ?? 0);
  const receiver = new UploadReceiver(options);
  try {
    const body = Readable.from(limitBytes(chunks ?? [], { maxBytes, signal: job?.signal }));
    const { Busboy: Parser } = await import("@fastify/busboy");
    await pipeline(body, receiver.createParser(Parser, type));
    await receiver.waitForFiles();
    job?.check();
    return receiver;
  } catch (error) {
    await receiver.abort();
    if (error instanceof AppError) throw error;
    if (isStorageFailure(error)) throw storageError(error);
    throw new AppError("upload.invalid", "The upload is malformed or ends early");
  }
}

class UploadReceiver implements Upload {
  readonly fields = Object.create(null) as Record<string, string>;
  readonly files: UploadedFile[] = [];
  readonly #options: UploadOptions;
  readonly #paths: string[] = [];
  readonly #streams: BusboyFileStream[] = [];
  readonly #writes: Promise<UploadedFile>[] = [];
  #textBytes = 0;

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  createParser(Parser: typeof Busboy, type: string): BusboyInstance {
    const { maxFiles = MAX_FILES, keepPaths = false, texts } = this.#options;
    // A longer text is cut, and then refused below.
    const fieldSize = texts ? texts.maxBytes + 1 : MAX_FIELD_BYTES;
    const limits = { fields: texts?.maxTexts ?? MAX_FIELDS, files: maxFiles, fieldSize, headerPairs: 100 };
    const createParser = new Parser({ headers: { "content-type": type }, limits, preservePath: keepPaths });
    const abort = (error: unknown) => void createParser.destroy(error as Error);
    const onField = (name: string, value: string) => this.#receiveText(name, value);
    createParser.on("field", guarded(onField, abort));
    const onFile = (field: string, stream: BusboyFileStream, name: string, _: string, declared: string) => {
      // Browsers escape quotes in a name like this, and no other character.
      const decodedName = name?.replaceAll("%22", '"');
      this.#receiveFile(stream, { field, name: decodedName || "upload", type: declared }, createParser);
    };
    createParser.on("file", guarded(onFile, abort));
    for (const limit of ["fieldsLimit", "filesLimit"]) {
      createParser.on(
        limit,
        guarded(() => createParser.destroy(new AppError("limit.exceeded", "The upload has too many parts"))),
      );
    }
    return createParser;
  }

  #receiveText(name: string, text: string): void {
    this.fields[name] = text;
    const { texts } = this.#options;
    if (!texts) return;
    this.#textBytes += Buffer.byteLength(text);
    if (this.#textBytes > texts.maxBytes) throw tooLarge("upload", texts.maxBytes);
    texts.add(name, text);
  }

  #receiveFile(
    stream: BusboyFileStream,
    about: Pick<UploadedFile, "field" | "name" | "type">,
    createParser: BusboyInstance,
  ): void {
    const path = join(this.#options.folder, temporaryName("upload"));
    this.#paths.push(path);
    this.#streams.push(stream);
    const { maxFileBytes = Number.POSITIVE_INFINITY } = this.#options;
    const write = writeStreamToFile(stream, path, maxFileBytes).then((waitForFiles) => ({ ...about, ...waitForFiles }));
    // Awaited after the whole body has been parsed; until then a failure must not count as an unhandled rejection. An
    // error (too large, disk full) aborts the upload immediately: the rest need not be received.
    write.catch((error: unknown) => createParser.destroy(error as Error));
    this.#writes.push(write);
  }

  /** Waits until every file is on disk. */
  async waitForFiles(): Promise<void> {
    this.files.push(...(await Promise.all(this.#writes)));
  }

  /** Stops writes in progress and deletes the files. */
  async abort(): Promise<void> {
    for (const stream of this.#streams) stream.destroy();
    await Promise.allSettled(this.#writes);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const path of this.#paths) await rm(path, { force: true });
  }
}

/** Passes chunks on and throws beyond the limit, independent of the declared size, or when the signal is aborted. */
async function* limitBytes(
  chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal | undefined },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge("upload", maxBytes);
    yield chunk;
  }
}
