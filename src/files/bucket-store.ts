import { notFound } from "../errors.ts";
import type { ByteRange, FileContent, LocalFile, ExternalStore } from "./attachment-store.ts";
import { isIdent } from "./attachment-store.ts";
import type { BucketObjects } from "./bucket-objects.ts";

/** Identifies this store in document files. */
export const BUCKET_STORE = "quern-bucket";

/** Stores contents as objects of a bucket, under the document's UUID. */
export class BucketStore implements ExternalStore {
  readonly id = BUCKET_STORE;
  readonly #objects: BucketObjects;

  /** @param objects the objects of the document */
  constructor(objects: BucketObjects) {
    this.#objects = objects;
  }

  async put(ident: string, file: LocalFile): Promise<void> {
    if (!isIdent(ident)) throw notFound("The attachment's content is not on this server", "attachment.not_found");
    await this.#objects.put(encodeURIComponent(ident), file);
  }

  async size(ident: string): Promise<number | null> {
    return isIdent(ident) ? this.#objects.size(encodeURIComponent(ident)) : null;
  }

  async read(ident: string, range?: ByteRange): Promise<FileContent | null> {
    return isIdent(ident) ? this.#objects.read(encodeURIComponent(ident), range) : null;
  }

  async remove(ident: string): Promise<void> {
    if (isIdent(ident)) await this.#objects.remove(encodeURIComponent(ident));
  }

  async sweep(isReferenced: (ident: string) => boolean, before: number): Promise<number> {
    let removed = 0;
    for await (const { name, storedAt } of this.#objects.list()) {
      if (isReferenced(decodeURIComponent(name)) || storedAt >= before) continue;
      await this.#objects.remove(name);
      removed++;
    }
    return removed;
  }

  async clear(): Promise<void> {
    for await (const { name } of this.#objects.list()) await this.#objects.remove(name);
  }
}
