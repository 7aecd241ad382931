import { AppError, notFound } from "../errors.ts";
import type { ByteRange, FileContent, LocalFile, ExternalStore } from "./attachment-store.ts";
import { isIdent } from "./attachment-store.ts";

/** Identifies this store in document files. */
export const BUCKET_STORE = "quern-bucket";

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

/** Stores contents as objects of a bucket, under the document's UUID. */
export class BucketStore implements ExternalStore {
  readonly id = BUCKET_STORE;
  readonly #client: Bun.S3Client;
  readonly #prefix: string;

  /** @param prefix prefix of the document's object keys, ending in a slash */
  constructor(client: Bun.S3Client, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  async put(ident: string, { path, sizeBytes }: LocalFile): Promise<void> {
    // Large files are uploaded in parts, read from disk while they are sent.
    const content = sizeBytes === 0 ? new Uint8Array(0) : Bun.file(path);
    await withBucketErrors(() => this.#client.write(this.#keyOf(ident), content));
  }

  async size(ident: string): Promise<number | null> {
    if (!isIdent(ident)) return null;
    try {
      return (await withBucketErrors(() => this.#client.file(this.#keyOf(ident)).stat())).size;
    } catch (error) {
      if (error instanceof AppError && isMissing(error.cause)) return null;
      throw error;
    }
  }

  async read(ident: string, range?: ByteRange): Promise<FileContent | null> {
    // Checked first: a stream reports a missing object only after the response has begun.
    const sizeBytes = await this.size(ident);
    if (sizeBytes === null) return null;
    if (sizeBytes === 0) return new Uint8Array(0);
    const file = this.#client.file(this.#keyOf(ident));
    return range ? file.slice(range.start, Math.min(range.end, sizeBytes)).stream() : file.stream();
  }

  async remove(ident: string): Promise<void> {
    if (isIdent(ident)) await withBucketErrors(() => this.#client.delete(this.#keyOf(ident)));
  }

  async sweep(isReferenced: (ident: string) => boolean, before: number): Promise<number> {
    let removed = 0;
    for await (const { key, storedAt } of this.#list()) {
      if (isReferenced(decodeURIComponent(key.slice(this.#prefix.length))) || storedAt >= before) continue;
      await withBucketErrors(() => this.#client.delete(key));
      removed++;
    }
    return removed;
  }

  async clear(): Promise<void> {
    for await (const { key } of this.#list()) await withBucketErrors(() => this.#client.delete(key));
  }

  async *#list(): AsyncGenerator<{ key: string; storedAt: number }> {
    let continuationToken: string | undefined;
    do {
      const token = continuationToken;
      const page = await withBucketErrors(() =>
        this.#client.list({ prefix: this.#prefix, ...(token !== undefined && { continuationToken: token }) }),
      );
      for (const { key, lastModified } of page.contents ?? []) {
        yield { key, storedAt: lastModified === undefined ? Date.now() : Date.parse(lastModified) };
      }
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
    } while (continuationToken !== undefined);
  }

  #keyOf(ident: string): string {
    if (!isIdent(ident)) throw notFound("The attachment's content is not on this server", "attachment.not_found");
    return this.#prefix + encodeURIComponent(ident);
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
