import { statement, type RunOptions, type Session } from "../connection.ts";
import { deleteLeftoverChunks } from "./blobs.ts";
import { documentStates } from "./ownership.ts";

/** Bases younger than this are kept, so that opening a document soon after a base never reads much log. */
const MIN_THINNED_AGE_S = 3600;

// PostgreSQL's clock decides, and only rows that no base within the retention needs are removed: every node would remove
// the same ones, so that this needs no fence.
const PRUNE = statement(
  "prune",
  `with anchor as (
    select seq from quern.doc_base
    where doc = $1 and committed_at <= clock_timestamp() - $2::bigint * interval '1 millisecond'
    order by seq desc limit 1),
  bases as (
    delete from quern.doc_base b using anchor where b.doc = $1 and b.seq < anchor.seq returning b.ref),
  chunks as (
    delete from quern.doc_base_chunk c using bases where c.doc = $1 and c.ref = bases.ref)
  delete from quern.doc_log l using anchor where l.doc = $1 and l.seq <= anchor.seq`,
);

// A base whose number has a row can be made again from the base before and the log; one without a row cannot.
const THIN = statement(
  "thin",
  `with ranked as (
    select ref, row_number() over (partition by date_trunc('day', committed_at) order by seq desc) as place
    from quern.doc_base where doc = $1),
  bases as (
    delete from quern.doc_base b using ranked r, quern.doc_owner o
    where b.doc = $1 and r.ref = b.ref and r.place > 1 and o.doc = b.doc and b.ref is distinct from o.base_ref
      and b.committed_at < clock_timestamp() - ${MIN_THINNED_AGE_S} * interval '1 second'
      and exists (select 1 from quern.doc_log l where l.doc = b.doc and l.seq = b.seq)
    returning b.ref)
  delete from quern.doc_base_chunk c using bases where c.doc = $1 and c.ref = bases.ref`,
);

const MARK_DELETED = statement(
  "mark_deleted",
  `update quern.doc_owner set deleted_at = clock_timestamp(), node = null, due_at = null, epoch = epoch + 1
  where doc = $1 and deleted_at is null`,
);

// The lock keeps home from changing until the deletion is committed.
const MARK_ORPHAN_DELETED = statement(
  "mark_orphan_deleted",
  `with fence as (
    select 1 from quern.doc_owner where doc = 'home' and epoch = $2::bigint and head = $3::bigint for share)
  update quern.doc_owner set deleted_at = clock_timestamp(), node = null, due_at = null, epoch = epoch + 1
  where doc = $1 and deleted_at is null and exists (select 1 from fence)`,
);

// The row stays: nodes that were down remove their copies of the document when they find it.
const PURGED_HEAD = -1;

const DELETED = statement<{ doc: string }>(
  "deleted",
  `select doc from quern.doc_owner
  where deleted_at < clock_timestamp() - $1::bigint * interval '1 millisecond' and head <> ${PURGED_HEAD}
  order by deleted_at limit 100`,
);

const PURGE = statement(
  "purge",
  `with log as (delete from quern.doc_log where doc = $1),
  base as (delete from quern.doc_base where doc = $1),
  base_chunk as (delete from quern.doc_base_chunk where doc = $1),
  snapshot as (delete from quern.doc_snapshot where doc = $1),
  blob as (delete from quern.doc_blob where doc = $1),
  blob_chunk as (delete from quern.doc_blob_chunk where doc = $1)
  update quern.doc_owner set head = ${PURGED_HEAD}, base_seq = null, base_ref = null
  where doc = $1 and deleted_at is not null`,
);

const FORGET_PURGED = statement(
  "forget_purged",
  `delete from quern.doc_owner where head = ${PURGED_HEAD} and deleted_at < clock_timestamp() - interval '1 year'`,
);

const FIND_DELETED = statement<{ doc: string }>(
  "find_deleted",
  "select doc from quern.doc_owner where doc = any($1::text[]) and deleted_at is not null",
);

// Attempts that crashed. One that is in progress is younger.
const REMOVE_ABANDONED_BASES = statement(
  "remove_abandoned_bases",
  `delete from quern.doc_base_chunk c where c.written_at < clock_timestamp() - interval '1 day'
    and not exists (select 1 from quern.doc_base b where b.doc = c.doc and b.ref = c.ref)`,
);

export interface Retention {
  /** How far back documents can be restored. */
  readonly retentionMs: number;
}

export interface Purge extends Retention {
  /** Deletes what a document has outside of PostgreSQL, before its log is deleted. */
  readonly deleteObjects?: (doc: string) => Promise<void>;
}

/** Uploads of attachments that write no chunk for this long were given up. */
const LEFTOVER_MIN_AGE_MS = 3_600_000;
const DELETED_BATCH = 1000;

/**
 * Removes what restoring a document to any time within the retention does not need: the log and the bases before the
 * newest base that is older than the retention. Of bases that the log could make again, one a day is kept.
 */
export async function pruneDocument(
  session: Session,
  doc: string,
  { retentionMs }: Retention,
  options: RunOptions = {},
): Promise<void> {
  await session.run(PRUNE, [doc, retentionMs], options);
  await session.run(THIN, [doc], options);
}

/**
 * Marks a document as permanently deleted: it has no owner, cannot be acquired, and appends are refused. Its log is kept
 * until the retention has passed. Idempotent.
 * @returns whether it was not marked before
 */
export const markDocumentDeleted = async (session: Session, doc: string): Promise<boolean> =>
  (await session.run(MARK_DELETED, [doc])).count > 0;

/**
 * Marks a document that home does not know as permanently deleted, if home is as the caller has read it.
 * @returns false if home has changed: read it again
 */
export const markOrphanDeleted = async (
  session: Session,
  { doc, homeEpoch, homeHead }: { readonly doc: string; readonly homeEpoch: number; readonly homeHead: number },
): Promise<boolean> => (await session.run(MARK_ORPHAN_DELETED, [doc, homeEpoch, homeHead])).count > 0;

/** Removes the logs, bases and attachments of documents that were permanently deleted before the retention. */
export async function purgeDeletedDocuments(session: Session, { retentionMs, deleteObjects }: Purge): Promise<number> {
  let purged = 0;
  for (;;) {
    const { rows } = await session.run(DELETED, [retentionMs]);
    if (rows.length === 0) return purged;
    for (const { doc } of rows) {
      await deleteObjects?.(doc);
      await session.run(PURGE, [doc]);
    }
    purged += rows.length;
  }
}

/** Returns those of some documents that were permanently deleted within the last year. */
export async function findDeletedDocuments(session: Session, docs: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < docs.length; from += DELETED_BATCH) {
    const { rows } = await session.run(FIND_DELETED, [docs.slice(from, from + DELETED_BATCH)]);
    found.push(...rows.map(({ doc }) => doc));
  }
  return found;
}

/** Removes chunks of bases and attachments that were never completed. */
export async function removeAbandonedChunks(session: Session): Promise<void> {
  await session.run(REMOVE_ABANDONED_BASES);
  await deleteLeftoverChunks(session, { olderThanMs: LEFTOVER_MIN_AGE_MS });
}

/** Applies the retention to all documents, a short statement each. Idempotent; any node may run it. */
export async function applyRetention(session: Session, retention: Purge): Promise<void> {
  await purgeDeletedDocuments(session, retention);
  await session.run(FORGET_PURGED);
  await removeAbandonedChunks(session);
  for await (const { doc, deletedAtMs } of documentStates(session)) {
    if (deletedAtMs === null) await pruneDocument(session, doc, retention);
  }
}
