/**
 * Contents of attachments. A row of `doc_blob` makes a content visible; its bytes are chunks under a name of their own
 * (`ref`), or an object of the bucket under that name. A name is used once, so that neither an upload that was given up
 * nor a late deletion can affect what was stored again.
 */
import { statement, type RunOptions, type Session } from "../connection.ts";
import { StatementError } from "../failures.ts";

/** Size of all chunks but the last. Part of the format: a range of a content is found by it. */
export const BLOB_CHUNK_BYTES = 1024 ** 2;

export interface BlobRow {
  /** The name of the content. */
  readonly hash: string;
  /** The name of its bytes. */
  readonly ref: string;
  readonly sizeBytes: number;
  /** True if the bytes are in the bucket. */
  readonly inBucket: boolean;
  /** Time since it was stored, or stored again. */
  readonly storedForMs: number;
  /** Time since the document no longer used it; null while it does. */
  readonly removedForMs: number | null;
  /** The document's head at that time. */
  readonly removedSeq: number | null;
}

/** A content of a document. */
export interface BlobName {
  readonly doc: string;
  readonly hash: string;
}

const AGE = (column: string): string => `(extract(epoch from clock_timestamp() - ${column}) * 1000)::float8`;

const COLUMNS = `hash, ref, size as "sizeBytes", in_bucket as "inBucket", ${AGE("stored_at")} as "storedForMs",
  ${AGE("removed_at")} as "removedForMs", removed_seq as "removedSeq"`;

const WRITE_CHUNK = statement(
  "blob_write_chunk",
  "insert into quern.doc_blob_chunk (doc, ref, chunk, bytes) values ($1, $2, $3, $4) on conflict do nothing",
);

// All bytes or none: a sweep may have deleted chunks of an upload that took too long.
const PUBLISH_CHUNKS = statement<{ ref: string }>(
  "blob_publish_chunks",
  `insert into quern.doc_blob (doc, hash, ref, size, in_bucket)
  select $1, $2, $3, $4::bigint, false
  where (select coalesce(sum(octet_length(bytes)), 0) from quern.doc_blob_chunk where doc = $1 and ref = $3) = $4::bigint
  on conflict (doc, hash) do update set removed_at = null, removed_seq = null, stored_at = clock_timestamp()
  returning ref`,
);

const PUBLISH_OBJECT = statement<{ ref: string }>(
  "blob_publish_object",
  `insert into quern.doc_blob (doc, hash, ref, size, in_bucket) values ($1, $2, $3, $4::bigint, true)
  on conflict (doc, hash) do update set removed_at = null, removed_seq = null, stored_at = clock_timestamp()
  returning ref`,
);

const RENEW = statement(
  "blob_renew",
  `update quern.doc_blob set removed_at = null, removed_seq = null, stored_at = clock_timestamp()
  where doc = $1 and hash = $2`,
);

const FIND = statement<BlobRow>("blob_find", `select ${COLUMNS} from quern.doc_blob where doc = $1 and hash = $2`);

const LIST = statement<BlobRow>("blob_list", `select ${COLUMNS} from quern.doc_blob where doc = $1 order by hash`);

const READ_CHUNK = statement<{ bytes: Uint8Array<ArrayBuffer> }>(
  "blob_read_chunk",
  `select substring(bytes from $4::int + 1 for $5::int) as bytes
  from quern.doc_blob_chunk where doc = $1 and ref = $2 and chunk = $3`,
);

const COPY_CHUNKS = statement(
  "blob_copy_chunks",
  `insert into quern.doc_blob_chunk (doc, ref, chunk, bytes)
  select $3, $4, chunk, bytes from quern.doc_blob_chunk where doc = $1 and ref = $2 on conflict do nothing`,
);

const MARK_REMOVED = statement(
  "blob_mark_removed",
  `update quern.doc_blob b set removed_at = clock_timestamp(), removed_seq = o.head from quern.doc_owner o
  where b.doc = $1 and b.hash = any ($4::text[]) and b.removed_at is null
    and o.doc = b.doc and o.epoch = $2::bigint and o.node = $3`,
);

// The lock keeps the document from changing hands until the row is deleted. A row that was renewed while this waited is
// checked again by PostgreSQL, and stays.
const DELETE_REMOVED = statement<{ ref: string; inBucket: boolean }>(
  "blob_delete_removed",
  `with fence as (
    select doc, head from quern.doc_owner where doc = $1 and epoch = $2::bigint and node = $3 for share)
  delete from quern.doc_blob b using fence
  where b.doc = fence.doc and b.hash = $4 and b.removed_seq <= fence.head
    and b.removed_at <= clock_timestamp() - $5::bigint * interval '1 millisecond'
  returning b.ref, b.in_bucket as "inBucket"`,
);

const DELETE_CHUNKS = statement("blob_delete_chunks", "delete from quern.doc_blob_chunk where doc = $1 and ref = $2");

const EXPIRED = statement<{ doc: string; hasOwner: boolean }>(
  "blob_expired",
  `select distinct b.doc, coalesce(n.lease_until > clock_timestamp(), false) as "hasOwner"
  from quern.doc_blob b
    left join quern.doc_owner o on o.doc = b.doc
    left join quern.node n on n.id = o.node
  where b.removed_at <= clock_timestamp() - $1::bigint * interval '1 millisecond' order by b.doc`,
);

const DELETE_LEFTOVERS = statement(
  "blob_delete_leftovers",
  `delete from quern.doc_blob_chunk c using (
    select doc, ref from quern.doc_blob_chunk
    group by doc, ref having max(written_at) < clock_timestamp() - $1::bigint * interval '1 millisecond') as old
  where c.doc = old.doc and c.ref = old.ref
    and not exists (select 1 from quern.doc_blob b where b.doc = c.doc and b.ref = c.ref)`,
);

/** Writes one chunk of a content that is not visible yet. Idempotent. */
export async function writeBlobChunk(
  session: Session,
  chunk: { readonly doc: string; readonly ref: string; readonly chunk: number; readonly bytes: Uint8Array },
  options: RunOptions = {},
): Promise<void> {
  await session.run(WRITE_CHUNK, [chunk.doc, chunk.ref, chunk.chunk, chunk.bytes], options);
}

/**
 * Makes a content visible whose bytes are stored. It is durable when this returns. If the document has the content
 * already, that is renewed and keeps its bytes.
 * @returns the name of the bytes that the content has; null if chunks are missing
 * @throws StatementError, ConnectionLostError: the content may or may not be visible
 */
export async function publishBlob(
  session: Session,
  blob: BlobName & { readonly ref: string; readonly sizeBytes: number; readonly inBucket: boolean },
  options: RunOptions = {},
): Promise<string | null> {
  const { doc, hash, ref, sizeBytes, inBucket } = blob;
  const { rows, warnings } = await session.run(
    inBucket ? PUBLISH_OBJECT : PUBLISH_CHUNKS,
    [doc, hash, ref, sizeBytes],
    options,
  );
  requireDurable(warnings);
  return rows[0]?.ref ?? null;
}

/**
 * Renews a content that is about to be used again: it is not deleted, and is durable when this returns.
 * @returns false if the log does not have it
 */
export async function renewBlob(session: Session, { doc, hash }: BlobName, options: RunOptions = {}): Promise<boolean> {
  const { count, warnings } = await session.run(RENEW, [doc, hash], options);
  requireDurable(warnings);
  return count > 0;
}

/** Returns what is known of a content; null if the log does not have it. */
export const findBlob = async (
  session: Session,
  { doc, hash }: BlobName,
  options: RunOptions = {},
): Promise<BlobRow | null> => (await session.run(FIND, [doc, hash], options)).rows[0] ?? null;

/** Lists the contents of a document, including removed ones until they are deleted. */
export const listBlobs = async (session: Session, doc: string, options: RunOptions = {}): Promise<readonly BlobRow[]> =>
  (await session.run(LIST, [doc], options)).rows;

/** A part of a chunk. */
export interface BlobPart {
  readonly doc: string;
  readonly ref: string;
  readonly chunk: number;
  /** Position in the chunk. */
  readonly start: number;
  readonly length: number;
}

/** Reads a part of a chunk; null if the chunk does not exist. */
export const readBlobPart = async (
  session: Session,
  { doc, ref, chunk, start, length }: BlobPart,
  options: RunOptions = {},
): Promise<Uint8Array<ArrayBuffer> | null> =>
  (await session.run(READ_CHUNK, [doc, ref, chunk, start, length], options)).rows[0]?.bytes ?? null;

/** Reads the bytes of a content in PostgreSQL, chunk by chunk. Throws an Error if one is missing. */
export async function* readBlobChunks(
  session: Session,
  { doc, ref, sizeBytes }: { readonly doc: string; readonly ref: string; readonly sizeBytes: number },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let chunk = 0; chunk * BLOB_CHUNK_BYTES < sizeBytes; chunk++) {
    const bytes = await readBlobPart(session, { doc, ref, chunk, start: 0, length: BLOB_CHUNK_BYTES });
    if (!bytes) throw new Error(`chunk ${chunk} of the content ${ref} is missing`);
    yield bytes;
  }
}

/** Copies the chunks of a content within PostgreSQL. Idempotent. */
export async function copyBlobChunks(
  session: Session,
  { from, to }: Record<"from" | "to", { readonly doc: string; readonly ref: string }>,
  options: RunOptions = {},
): Promise<void> {
  await session.run(COPY_CHUNKS, [from.doc, from.ref, to.doc, to.ref], options);
}

/** The owner of a document and its epoch. */
export interface BlobOwner {
  readonly doc: string;
  readonly node: string;
  readonly epoch: number;
}

/** Marks contents that the document no longer uses, after the commit that removed them is in the log. Fenced. */
export async function markBlobsRemoved(
  session: Session,
  { doc, node, epoch, hashes }: BlobOwner & { readonly hashes: readonly string[] },
  options: RunOptions = {},
): Promise<void> {
  await session.run(MARK_REMOVED, [doc, epoch, node, hashes], options);
}

/**
 * Deletes a content that was removed before the retention; its bytes are the caller's. Fenced.
 * @returns where its bytes are; null if it was not deleted
 */
export const deleteRemovedBlob = async (
  session: Session,
  { doc, node, epoch, hash, retentionMs }: BlobOwner & { readonly hash: string; readonly retentionMs: number },
  options: RunOptions = {},
): Promise<{ readonly ref: string; readonly inBucket: boolean } | null> =>
  (await session.run(DELETE_REMOVED, [doc, epoch, node, hash, retentionMs], options)).rows[0] ?? null;

/** Deletes chunks that no content has. Idempotent. */
export async function deleteBlobChunks(
  session: Session,
  { doc, ref }: { readonly doc: string; readonly ref: string },
  options: RunOptions = {},
): Promise<void> {
  await session.run(DELETE_CHUNKS, [doc, ref], options);
}

/** Returns the documents with contents that were removed before the retention, and whether a living node owns them. */
export const documentsWithExpiredBlobs = async (
  session: Session,
  { retentionMs }: { readonly retentionMs: number },
): Promise<readonly { readonly doc: string; readonly hasOwner: boolean }[]> =>
  (await session.run(EXPIRED, [retentionMs])).rows;

/** Deletes the chunks of uploads that were given up. Returns their number. Idempotent; any node may run it. */
export const deleteLeftoverChunks = async (
  session: Session,
  { olderThanMs }: { readonly olderThanMs: number },
): Promise<number> => (await session.run(DELETE_LEFTOVERS, [olderThanMs])).count;

/** PostgreSQL warns when it commits without waiting for its synchronous standby. */
function requireDurable([warning]: readonly string[]): void {
  if (warning !== undefined) throw new StatementError(warning, WARNING);
}

/** The SQLSTATE of warnings without a code of their own. */
const WARNING = "01000";
