import type { BusboyFileStream } from "@fastify/busboy";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import type { UploadLimits, UploadSource } from "./uploads.ts";
import { isStorageFailure, storageError, tooLarge, writeStreamToFile } from "./write-file.ts";

/** A body in a temporary file, with the hash of its content. Disposing it deletes the file. */
export class BodySpool implements AsyncDisposable {
  readonly path: string;
  /**
   * SHA-256. For forms, of the names and contents of their parts: clients that send a form again choose another boundary.
   */
  readonly hash: string;

  private constructor(path: string, hash: string) {
    this.path = path;
    this.hash = hash;
  }

  /** @throws AppError `tooLarge`, `storage`, and errors of the body; leaves no file */
  static async receive(
    { type, chunks, sizeBytes }: UploadSource,
    { folder, maxBytes, space }: Pick<UploadLimits, "folder" | "maxBytes" | "space">,
  ): Promise<BodySpool> {
    if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge("upload", maxBytes);
    using job = space?.startJob(sizeBytes ?? 0);
    const path = join(folder, temporaryName("body"));
    const hash = new Bun.CryptoHasher("sha256");
    const hashed = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks ?? []) {
        job?.signal.throwIfAborted();
        hash.update(chunk);
        yield chunk;
      }
    };
    try {
      await writeStreamToFile(Readable.from(hashed()), path, maxBytes);
      job?.check();
      const formHash = /^multipart\/form-data\b/i.test(type ?? "") ? await hashForm(path, type ?? "") : null;
      return new BodySpool(path, formHash ?? hash.digest("hex"));
    } catch (error) {
      await rm(path, { force: true });
      if (error instanceof AppError) throw error;
      if (isStorageFailure(error)) throw storageError(error);
      throw error;
    }
  }

  stream(): ReadableStream<Uint8Array> {
    return Bun.file(this.path).stream();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** Returns a hash of the parts of a form; null for a body that is not a form. */
async function hashForm(path: string, type: string): Promise<string | null> {
  const parts: Promise<string>[] = [];
  try {
    const { Busboy } = await import("@fastify/busboy");
    const parser = new Busboy({ headers: { "content-type": type }, preservePath: true });
    const abort = (error: unknown) => void parser.destroy(error as Error);
    const onField = (name: string, value: string) => {
      parts.push(Promise.resolve(JSON.stringify(["field", name, value])));
    };
    const onFile = (field: string, stream: BusboyFileStream, name: string, _: string, declared: string) => {
      const hashed = hashStream(stream).then((hash) => JSON.stringify(["file", field, name, declared, hash]));
      hashed.catch(abort);
      parts.push(hashed);
    };
    parser.on("field", guarded(onField, abort));
    parser.on("file", guarded(onFile, abort));
    await pipeline(createReadStream(path), parser);
    return new Bun.CryptoHasher("sha256").update((await Promise.all(parts)).join("\n")).digest("hex");
  } catch {
    // The route refuses it.
    return null;
  }
}

async function hashStream(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest("hex");
}
