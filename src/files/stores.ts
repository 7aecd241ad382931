import { join } from "node:path";
import { SharedTurnsByKey } from "../lib/shared-turns.ts";
import { BucketStore, type BucketSettings, openBucket } from "./bucket-store.ts";
import { FolderStore } from "./folder-store.ts";

export interface FileStoresOptions {
  /** The data folder. */
  readonly folder: string;
  /** Up to this size contents lie in the document's file, above it beside it. */
  readonly insideBytes: number;
  /** Null when the server has none. */
  readonly bucket: BucketSettings | null;
}

/** Where contents of attachments can be kept besides in the document's own file. */
export class FileStores {
  readonly insideBytes: number;
  /** Where contents lie for a moment on their way from one store to another. */
  readonly temporary: string;
  /** By document: storing goes on side by side, removing waits until nothing is being stored. */
  readonly turns = new SharedTurnsByKey();
  readonly #folder: string;
  readonly #bucket: { readonly client: Bun.S3Client; readonly prefix: string } | null;

  constructor({ folder, insideBytes, bucket }: FileStoresOptions) {
    this.insideBytes = insideBytes;
    this.temporary = join(folder, "tmp");
    this.#folder = folder;
    this.#bucket = bucket && { client: openBucket(bucket), prefix: bucket.prefix };
  }

  get hasBucket(): boolean {
    return this.#bucket !== null;
  }

  /** The folder beside a document. */
  folder(uuid: string): FolderStore {
    return new FolderStore(join(this.#folder, "docs", uuid, "attachments"));
  }

  /** A document's part of the bucket; null when the server has none. */
  bucket(uuid: string): BucketStore | null {
    return this.#bucket && new BucketStore(this.#bucket.client, `${this.#bucket.prefix}${uuid}/`);
  }
}
