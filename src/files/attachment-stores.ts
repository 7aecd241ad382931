import { join } from "node:path";
import { KeyedReadWriteLock } from "../lib/concurrency/read-write-lock.ts";
import { BucketStore, type BucketSettings, openBucket } from "./bucket-store.ts";
import { FolderStore } from "./folder-store.ts";

export interface AttachmentStoresOptions {
  /** The data folder. */
  readonly folder: string;
  /** Contents up to this size are stored in the document's file, larger ones in a folder beside it. */
  readonly inlineMaxBytes: number;
  /** Null when the server has none. */
  readonly bucket: BucketSettings | null;
}

/** The attachment stores besides the document's own file. */
export class AttachmentStores {
  readonly inlineMaxBytes: number;
  /** Temporary storage for contents during a transfer from one store to another. */
  readonly temporaryFolder: string;
  /** By document: several contents can be stored concurrently, deleting waits until no content is being stored. */
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

  /** Returns the store in the folder beside a document. */
  folderStore(uuid: string): FolderStore {
    return new FolderStore(join(this.#folder, "docs", uuid, "attachments"));
  }

  /** Returns the store of a document in the bucket; null if the server has none. */
  bucketStore(uuid: string): BucketStore | null {
    return this.#bucket && new BucketStore(this.#bucket.client, `${this.#bucket.prefix}${uuid}/`);
  }
}
