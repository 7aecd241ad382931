import { Readable } from "node:stream";
import { AppError } from "../errors.ts";
import { type BucketSettings, openBucket } from "../files/bucket-objects.ts";
import type { BackupTarget, StoredFile } from "./backup-target.ts";

/** Backups as objects of a bucket in an S3-compatible service. */
export class BucketTarget implements BackupTarget {
  readonly label: string;
  readonly temporaryFolder: string;
  readonly #client: Bun.S3Client;
  readonly #prefix: string;

  /** @param scratch an existing local folder */
  constructor(settings: BucketSettings, scratch: string) {
    this.label = `s3://${settings.bucket}/${settings.prefix}`.replace(/\/$/, "");
    this.temporaryFolder = scratch;
    this.#client = openBucket(settings);
    this.#prefix = settings.prefix;
  }

  async prepare(): Promise<Disposable> {
    return { [Symbol.dispose]() {} };
  }

  async put(key: string, file: string): Promise<void> {
    const content = Bun.file(file);
    // Large files are uploaded in parts, streamed from disk.
    await this.#request(() => this.#client.write(this.#prefix + key, content.size === 0 ? new Uint8Array(0) : content));
  }

  async read(key: string): Promise<Readable | null> {
    const file = this.#client.file(this.#prefix + key);
    // Check first: a stream reports a missing object only when it is read.
    const exists = await this.#request(() => file.exists());
    if (!exists) return null;
    return Readable.fromWeb(file.stream() as Parameters<typeof Readable.fromWeb>[0]);
  }

  async *list(prefix: string): AsyncGenerator<StoredFile> {
    let token: string | undefined;
    do {
      const continuation = token === undefined ? {} : { continuationToken: token };
      const page = await this.#request(() => this.#client.list({ prefix: this.#prefix + prefix, ...continuation }));
      for (const { key, size = 0, lastModified } of page.contents ?? []) {
        const storedAtMs = lastModified === undefined ? Date.now() : Date.parse(lastModified);
        yield { key: key.slice(this.#prefix.length), sizeBytes: size, storedAtMs };
      }
      token = page.isTruncated ? page.nextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async remove(key: string): Promise<void> {
    await this.#request(() => this.#client.delete(this.#prefix + key));
  }

  async #request<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (cause) {
      const { code, message } = cause as { code?: unknown; message?: unknown };
      const reason = typeof code === "string" ? code : String(message);
      throw new AppError("unavailable", `request to ${this.label} failed: ${reason}`, { cause });
    }
  }
}
