import { AppError } from "../errors.ts";
import type { ByteRange, FileContent, LocalFile } from "./attachment-store.ts";

/** A bucket of an S3-compatible service. */
export interface BucketSettings {
  /** URL of the service. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Prefix of all object keys; may be empty. */
  readonly prefix: string;
}

/** Returns a client for a bucket, which the stores of all documents share. */
export const openBucket = (settings: Omit<BucketSettings, "prefix">): Bun.S3Client => {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings;
  return new Bun.S3Client({ endpoint, bucket, region, accessKeyId, secretAccessKey });
};

/** The objects of a bucket below a prefix. All methods throw AppError `unavailable` if the service fails. */
export class BucketObjects {
  readonly #client: Bun.S3Client;
  readonly #prefix: string;

  /** @param prefix prefix of the keys, ending in a slash */
  constructor(client: Bun.S3Client, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  async put(name: string, { path, sizeBytes }: LocalFile): Promise<void> {
    // Large files are uploaded in parts, read from disk while they are sent.
    const content = sizeBytes === 0 ? new Uint8Array(0) : Bun.file(path);
    await withBucketErrors(() => this.#client.write(this.#prefix + name, content));
  }

  /** Returns the size in bytes; null if the object does not exist. */
  async size(name: string): Promise<number | null> {
    try {
      return (await withBucketErrors(() => this.#client.file(this.#prefix + name).stat())).size;
    } catch (error) {
      if (error instanceof AppError && isMissing(error.cause)) return null;
      throw error;
    }
  }

  /** Returns the bytes of an object or a range of them; null if it does not exist. */
  async read(name: string, range?: ByteRange): Promise<FileContent | null> {
    // Checked first: a stream reports a missing object only after the response has begun.
    const sizeBytes = await this.size(name);
    if (sizeBytes === null) return null;
    if (sizeBytes === 0) return new Uint8Array(0);
    const file = this.#client.file(this.#prefix + name);
    return range ? file.slice(range.start, Math.min(range.end, sizeBytes)).stream() : file.stream();
  }

  /** Idempotent. */
  async remove(name: string): Promise<void> {
    await withBucketErrors(() => this.#client.delete(this.#prefix + name));
  }

  /**
   * Lists the objects with the times at which they were stored, in ms since the epoch.
   * @param under what their names begin with
   */
  async *list(under = ""): AsyncGenerator<{ name: string; storedAt: number }> {
    let continuationToken: string | undefined;
    do {
      const token = continuationToken;
      const page = await withBucketErrors(() =>
        this.#client.list({ prefix: this.#prefix + under, ...(token !== undefined && { continuationToken: token }) }),
      );
      for (const { key, lastModified } of page.contents ?? []) {
        const storedAt = lastModified === undefined ? Date.now() : Date.parse(lastModified);
        yield { name: key.slice(this.#prefix.length), storedAt };
      }
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
    } while (continuationToken !== undefined);
  }
}

async function withBucketErrors<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    throw new AppError("unavailable", "The attachment store returned an unexpected response", {
      retryAfterS: 10,
      cause,
    });
  }
}

const isMissing = (error: unknown): boolean =>
  ["NoSuchKey", "NotFound"].includes(String((error as { code?: unknown } | null)?.code));
