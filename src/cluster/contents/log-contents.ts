import { open } from "node:fs/promises";
import { AppError } from "../../errors.ts";
import { randomHex } from "../../lib/ids.ts";
import type { Connection, RunOptions } from "../postgres/connection.ts";
import { StatementError } from "../postgres/failures.ts";
import {
  BLOB_CHUNK_BYTES,
  type BlobName,
  type BlobRow,
  copyBlobChunks,
  deleteBlobChunks,
  deleteRemovedBlob,
  documentsWithExpiredBlobs,
  findBlob,
  listBlobs,
  markBlobsRemoved,
  publishBlob,
  readBlobPart,
  renewBlob,
  writeBlobChunk,
} from "../postgres/statements/blobs.ts";
import { noLease } from "../log/refusals.ts";
import { ContentGuard } from "./content-guard.ts";
import { readContent } from "./content-reader.ts";
import type { ByteRange, ContentBucket, ContentBytes, LocalFile, Ownership } from "./content-types.ts";
import { LogStore } from "./log-store.ts";

export interface LogContentsOptions<Id extends string> {
  readonly database: { bulk(): Promise<Connection> };
  readonly retentionMs: number;
  /** New contents are stored in it; null to store them in PostgreSQL. */
  readonly objects: ContentBucket | null;
  readonly isContentName: (name: string) => boolean;
  /** The ids in documents: of the server's own store, and of the bucket that users choose. */
  readonly storeIds: { readonly own: Id; readonly bucket: Id };
  /** Returns null if this node does not own the document. */
  readonly ownershipOf: (doc: string) => Ownership | null;
  /** Gives a document up, so that it is acquired under a new epoch. */
  readonly renewEpoch: (doc: string) => void;
}

const DEADLINE: RunOptions = { deadlineMs: 30_000 };
/** Copies the chunks of a content in one statement. */
const COPY_DEADLINE: RunOptions = { deadlineMs: 300_000 };

/** Connections may have been lost at the same time; each is replaced separately. */
const MAX_ATTEMPTS = 3;

/** The folder of the bucket with contents of log mode: their names end in a random part, and are used once. */
const OBJECT_FOLDER = "log/";

/**
 * The contents of attachments of all documents in the log: bytes in the bucket or in PostgreSQL, and in any case a row in
 * PostgreSQL that makes them visible.
 */
export class LogContents<Id extends string> {
  readonly #options: LogContentsOptions<Id>;
  readonly #guards = new Map<string, { readonly epoch: number; readonly guard: ContentGuard }>();

  constructor(options: LogContentsOptions<Id>) {
    this.#options = options;
  }

  /** Returns the store of a document that takes the place of the one with this id. */
  storeOf(doc: string, id: Id): LogStore<Id> {
    return new LogStore(this, { doc, id, isContentName: this.#options.isContentName });
  }

  /** Returns the name of a content in the log. A document can have it in both stores until a transfer has finished. */
  nameOf(doc: string, ident: string, id: Id): BlobName {
    return { doc, hash: id === this.#options.storeIds.own ? ident : `${id}/${ident}` };
  }

  /** Stores a file. It is durable and visible when this returns. */
  async put(name: BlobName, file: LocalFile): Promise<void> {
    await this.#store(name, (ref) => this.#upload(name, ref, file), {
      sizeBytes: file.sizeBytes,
      inBucket: this.#options.objects !== null,
    });
  }

  /**
   * Copies a content within PostgreSQL.
   * @returns false if the other document does not have it, or its bytes are in the bucket
   */
  async copy(ident: string, { id, from, to }: { readonly id: Id; from: string; to: string }): Promise<boolean> {
    if (!this.#options.isContentName(ident)) return false;
    const [source, target] = [this.nameOf(from, ident, id), this.nameOf(to, ident, id)];
    if (await this.#run((session) => renewBlob(session, target, DEADLINE))) return true;
    const found = await this.find(source);
    if (!found || found.inBucket) return false;
    const copyTo = (ref: string) =>
      this.#run((session) =>
        copyBlobChunks(session, { from: { doc: from, ref: found.ref }, to: { doc: to, ref } }, COPY_DEADLINE),
      );
    await this.#store(target, copyTo, { sizeBytes: found.sizeBytes, inBucket: false });
    return true;
  }

  /** Returns what is known of a content; null if the document does not have it. */
  async find(name: BlobName): Promise<BlobRow | null> {
    return (await this.#run((session) => findBlob(session, name, DEADLINE))) ?? this.#adopt(name);
  }

  async read(name: BlobName, range?: ByteRange): Promise<ContentBytes | null> {
    const found = await this.find(name);
    if (!found) return null;
    if (found.inBucket) return this.#bucket().read(found.ref, range);
    return readContent(
      (part) => this.#run((session) => readBlobPart(session, { doc: name.doc, ...part }, DEADLINE)),
      found,
      range,
    );
  }

  list(doc: string): Promise<readonly BlobRow[]> {
    return this.#run((session) => listBlobs(session, doc, DEADLINE));
  }

  /** Marks contents as removed: they are deleted when the retention has passed. */
  async markRemoved(doc: string, hashes: readonly string[]): Promise<void> {
    const ownership = this.#options.ownershipOf(doc);
    if (!ownership) throw noLease();
    await this.#run((session) => markBlobsRemoved(session, { doc, ...ownership, hashes }, DEADLINE));
  }

  /** Deletes the objects of uploads and deletions that were interrupted. */
  async deleteLeftoverObjects(doc: string, before: number): Promise<void> {
    const { objects } = this.#options;
    if (!objects) return;
    const used = new Set((await this.list(doc)).map(({ ref }) => ref));
    for await (const { name, storedAt } of objects.list(`${OBJECT_FOLDER}${doc}/`)) {
      if (!used.has(name) && storedAt < before) await objects.remove(name);
    }
  }

  /** Returns the documents with contents whose retention has passed, except documents of other living nodes. */
  async documentsWithExpired(): Promise<readonly string[]> {
    const { ownershipOf } = this.#options;
    const found = await this.#run((session) => documentsWithExpiredBlobs(session, this.#options));
    return found.filter(({ doc, hasOwner }) => !hasOwner || ownershipOf(doc) !== null).map(({ doc }) => doc);
  }

  /**
   * Deletes contents whose retention has passed, if this node owns the document. A content that is referenced was marked
   * by mistake, and is kept.
   * @returns the number of deleted contents
   */
  async deleteExpired(doc: string, isReferenced: (ident: string, id: Id) => boolean): Promise<number> {
    const { retentionMs, ownershipOf } = this.#options;
    let deleted = 0;
    for (const { hash, removedForMs, removedSeq } of await this.list(doc)) {
      if (removedForMs === null || removedSeq === null || removedForMs < retentionMs) continue;
      const { ident, id } = this.#parseHash(hash);
      if (isReferenced(ident, id)) await this.#run((session) => renewBlob(session, { doc, hash }, DEADLINE));
      else {
        const guard = this.#guardOf(doc, ownershipOf(doc));
        if (await guard?.deleteUnreferenced({ hash, removedSeq, removedForMs })) deleted++;
      }
    }
    return deleted;
  }

  /** Deletes the objects of a document whose log is being deleted. */
  async deleteObjects(doc: string): Promise<void> {
    const { objects } = this.#options;
    for (const { ref, inBucket } of await this.list(doc)) if (inBucket) await objects?.remove(ref);
    await this.deleteLeftoverObjects(doc, Date.now());
  }

  async #store(
    name: BlobName,
    write: (ref: string) => Promise<void>,
    bytes: Pick<BlobRow, "sizeBytes" | "inBucket">,
  ): Promise<void> {
    const upload = async () => {
      if (await this.#run((session) => renewBlob(session, name, DEADLINE))) return;
      const ref = this.#newRef(name, bytes.inBucket);
      let usedRef: string | null = null;
      try {
        await write(ref);
        usedRef = await this.#run((session) => publishBlob(session, { ...name, ref, ...bytes }, DEADLINE));
        if (usedRef === null) throw noLease();
      } finally {
        // Otherwise the sweep of leftovers does. After an error the content may be visible.
        if (usedRef !== null && usedRef !== ref) await this.#deleteBytes(name.doc, ref, bytes.inBucket).catch(() => {});
      }
    };
    const guard = this.#guardOf(name.doc, this.#options.ownershipOf(name.doc));
    // A document that is being created has no owner yet.
    await (guard ? guard.store(name.hash, upload) : upload());
  }

  async #upload(name: BlobName, ref: string, file: LocalFile): Promise<void> {
    if (this.#options.objects) return this.#options.objects.put(ref, file);
    let chunk = 0;
    for await (const bytes of readChunks(file.path)) {
      await this.#run((session) => writeBlobChunk(session, { doc: name.doc, ref, chunk, bytes }, DEADLINE));
      chunk++;
    }
  }

  /** Runs the deletion protocol under the current epoch; null if this node does not own the document. */
  #guardOf(doc: string, ownership: Ownership | null): ContentGuard | null {
    const known = this.#guards.get(doc);
    if (known && known.epoch === ownership?.epoch) return known.guard;
    this.#guards.delete(doc);
    if (!ownership) return null;
    const { retentionMs, ownershipOf, renewEpoch } = this.#options;
    const guard = new ContentGuard({
      retentionMs,
      state: () => {
        const current = ownershipOf(doc);
        const isOwned = current?.epoch === ownership.epoch;
        return { acknowledged: { seq: isOwned ? current.acknowledgedSeq : 0 }, mayRead: isOwned && current.mayRead };
      },
      deleteContent: (hash) => this.#delete(doc, hash, ownership),
      renewEpoch: () => renewEpoch(doc),
    });
    this.#guards.set(doc, { epoch: ownership.epoch, guard });
    return guard;
  }

  async #delete(doc: string, hash: string, { node, epoch }: Ownership): Promise<boolean> {
    const { retentionMs, database } = this.#options;
    const removal = { doc, node, epoch, hash, retentionMs };
    const deleted = await deleteRemovedBlob(await database.bulk(), removal, DEADLINE);
    if (!deleted) return false;
    // Nothing refers to these bytes any more: what fails here is swept later.
    await this.#deleteBytes(doc, deleted.ref, deleted.inBucket).catch(() => {});
    return true;
  }

  async #deleteBytes(doc: string, ref: string, inBucket: boolean): Promise<void> {
    if (inBucket) await this.#options.objects?.remove(ref);
    else await this.#run((session) => deleteBlobChunks(session, { doc, ref }, DEADLINE));
  }

  /** Adds a content to the log that users stored in the bucket before log mode. */
  async #adopt({ doc, hash }: BlobName): Promise<BlobRow | null> {
    const { objects, storeIds } = this.#options;
    const { ident, id } = this.#parseHash(hash);
    if (!objects || id !== storeIds.bucket) return null;
    const ref = plainObjectName(doc, ident);
    const sizeBytes = await objects.size(ref);
    if (sizeBytes === null) return null;
    const blob = { doc, hash, ref, sizeBytes, inBucket: true };
    await this.#run((session) => publishBlob(session, blob, DEADLINE));
    return this.#run((session) => findBlob(session, { doc, hash }, DEADLINE));
  }

  #parseHash(hash: string): { ident: string; id: Id } {
    const { own, bucket } = this.#options.storeIds;
    const prefix = `${bucket}/`;
    return hash.startsWith(prefix) ? { ident: hash.slice(prefix.length), id: bucket } : { ident: hash, id: own };
  }

  #newRef({ doc, hash }: BlobName, inBucket: boolean): string {
    const unique = randomHex(8);
    return inBucket ? `${OBJECT_FOLDER}${doc}/${encodeURIComponent(this.#parseHash(hash).ident)}/${unique}` : unique;
  }

  #bucket(): ContentBucket {
    if (this.#options.objects) return this.#options.objects;
    throw new AppError("unavailable", "The attachment is in a bucket, and this server has none", { retryAfterS: 60 });
  }

  /** Runs a statement, again if the connection was lost: they are idempotent. */
  async #run<T>(work: (session: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(await this.#options.database.bulk());
      } catch (error) {
        if (error instanceof StatementError || attempt === MAX_ATTEMPTS) throw noLease(error);
      }
    }
  }
}

/** The object of a content that a server without a log stores in the bucket. */
export const plainObjectName = (doc: string, ident: string): string => `${doc}/${encodeURIComponent(ident)}`;

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    for (;;) {
      const chunk = Buffer.alloc(BLOB_CHUNK_BYTES);
      let filled = 0;
      while (filled < chunk.length) {
        const { bytesRead } = await file.read(chunk, filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled > 0) yield chunk.subarray(0, filled);
      if (filled < chunk.length) return;
    }
  } finally {
    await file.close();
  }
}
