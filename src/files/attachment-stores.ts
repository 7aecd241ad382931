import { join } from "node:path";
import { KeyedReadWriteLock } from "../lib/concurrency/read-write-lock.ts";
import { BucketStore, type BucketSettings, openBucket } from "./bucket-store.ts";
import { FolderStore } from "./folder-store.ts";

export interface AttachmentStoresOptions {
  /** The data folder. */
  readonly folder: string;
  /** Up to this size contents lie in the document's file, above it beside it. */
  readonly inlineMaxBytes: number;
  /** Null when the server has none. */
  readonly bucket: BucketSettings | null;
}

/** Where contents of attachments can be kept besides in the document's own file. */
export class AttachmentStores {
  readonly inlineMaxBytes: number;
  /** Where contents lie for a moment on their way from one store to another. */
  readonly temporaryFolder: string;
  /** By document: storing goes on side by side, removing waits until nothing is being stored. */
  readonly locks = new KeyedReadWriteLock();
  readonly #folder: string;
  readonly #bucket: { readonly client: Bun.S3Client; readonly prefix: string } | null;

  constructor({ folder: folderStore, inlineMaxBytes, bucket: bucketStore }: AttachmentStoresOptions) {
    this.inlineMaxBytes = inlineMaxBytes;
    this.temporaryFolder = join(folderStore, "tmp");
    this.#folder = folderStore;
    this.#bucket = bucketStore && { client: openBucket(bucketStore), prefix: bucketStore.prefix };
  }

  get hasBucket(): boolean {
    return this.#bucket !== null;
  }

  /** The folder beside a document. */
  folderStore(uuid: string): FolderStore {
    return new FolderStore(join(this.#folder, "docs", uuid, "attachments"));
  }

  /** A document's part of the bucket; null when the server has none. */
  bucketStore(uuid: string): BucketStore | null {
    return this.#bucket && new BucketStore(this.#bucket.client, `${this.#bucket.prefix}${uuid}/`);
  }
}
