import { join } from "node:path";
import { KeyedReadWriteLock } from "../lib/concurrency/read-write-lock.ts";
import { type ExternalStore, isIdent, type StoreId } from "./attachment-store.ts";
import { BucketObjects, type BucketSettings, openBucket } from "./bucket-objects.ts";
import { BUCKET_STORE, BucketStore } from "./bucket-store.ts";
import { FOLDER_STORE, FolderStore } from "./folder-store.ts";

/** The contents of all documents in log mode, where none are in local folders only; see `cluster/contents/`. */
export interface LoggedContents {
  /** Returns the store of a document that takes the place of the one with this id. */
  storeOf(uuid: string, id: StoreId): ExternalStore;
  /** As `AttachmentStores.copy`. */
  copy(ident: string, copy: ContentCopy): Promise<boolean>;
  /** Returns the documents with contents whose retention has passed. */
  documentsWithExpired(): Promise<readonly string[]>;
  /** Deletes contents whose retention has passed, if this server owns the document. Returns their number. */
  deleteExpired(uuid: string, isReferenced: (ident: string, id: StoreId) => boolean): Promise<number>;
}

/** A content of one document that another one will refer to as well. */
export interface ContentCopy {
  readonly id: StoreId;
  readonly from: string;
  readonly to: string;
}

export interface AttachmentStoresOptions {
  /** The data folder. */
  readonly folder: string;
  /** Contents up to this size are stored in the document's file, larger ones in a folder beside it. */
  readonly inlineMaxBytes: number;
  /** Null when the server has none. */
  readonly bucket: BucketSettings | null;
  /** In log mode. */
  readonly logged?: LoggedContents | null;
}

/** The attachment stores besides the document's own file. */
export class AttachmentStores {
  readonly inlineMaxBytes: number;
  /** Temporary storage for contents during a transfer from one store to another. */
  readonly temporaryFolder: string;
  /** By document: several contents can be stored concurrently, deleting waits until no content is being stored. */
  readonly locks = new KeyedReadWriteLock();
  /** Null except in log mode. */
  readonly logged: LoggedContents | null;
  readonly #folder: string;
  readonly #bucket: { readonly client: Bun.S3Client; readonly prefix: string } | null;

  constructor({ folder, inlineMaxBytes, bucket, logged = null }: AttachmentStoresOptions) {
    this.inlineMaxBytes = inlineMaxBytes;
    this.temporaryFolder = join(folder, "tmp");
    this.logged = logged;
    this.#folder = folder;
    this.#bucket = bucket && { client: openBucket(bucket), prefix: bucket.prefix };
  }

  get hasBucket(): boolean {
    return this.#bucket !== null;
  }

  /** Returns the server's own store of a document: the folder beside it, in log mode the log. */
  folderStore(uuid: string): ExternalStore {
    return this.logged?.storeOf(uuid, FOLDER_STORE) ?? this.#localStore(uuid);
  }

  /** Returns the store of a document in the bucket; null if the server has none. */
  bucketStore(uuid: string): ExternalStore | null {
    if (!this.#bucket) return null;
    const { client, prefix } = this.#bucket;
    return this.logged?.storeOf(uuid, BUCKET_STORE) ?? new BucketStore(new BucketObjects(client, `${prefix}${uuid}/`));
  }

  /**
   * Copies a content to the same store of another document, where that is possible without reading it.
   * @returns false if the caller has to read and store it, or it does not exist
   */
  async copy(ident: string, copy: ContentCopy): Promise<boolean> {
    if (this.logged) return this.logged.copy(ident, copy);
    if (copy.id !== FOLDER_STORE) return false;
    return this.#localStore(copy.to).copyFrom(ident, this.#localStore(copy.from));
  }

  #localStore(uuid: string): FolderStore {
    return new FolderStore(join(this.#folder, "docs", uuid, "attachments"));
  }
}

/** What the stores of log mode need of this folder. */
export const partsOfLoggedContents = (bucket: BucketSettings | null) => ({
  objects: bucket && new BucketObjects(openBucket(bucket), bucket.prefix),
  isContentName: isIdent,
  storeIds: { own: FOLDER_STORE, bucket: BUCKET_STORE } as const,
});
