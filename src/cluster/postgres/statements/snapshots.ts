/** Marks of earlier contents of documents, from which these can be restored while the log has them. */
import { statement, type Session } from "../connection.ts";

export interface SnapshotMark {
  readonly id: string;
  /** The commit whose content it is. */
  readonly seq: number;
  readonly atMs: number;
}

// Numbers that a replaced file skipped never were a content.
const ADD = statement(
  "snapshot_add",
  `insert into quern.doc_snapshot (doc, id, seq, at)
  select $1, $2, content.seq, to_timestamp($4::float8 / 1000)
  from (select max(seq) as seq from (
    select seq from quern.doc_log where doc = $1 and seq <= $3::bigint
    union all select seq from quern.doc_base where doc = $1 and seq <= $3::bigint) as entry) as content
  where content.seq is not null and content.seq is distinct from (
    select seq from quern.doc_snapshot where doc = $1 order by id desc limit 1)`,
);

const TRIM = statement(
  "snapshot_trim",
  `delete from quern.doc_snapshot where doc = $1
    and id not in (select id from quern.doc_snapshot where doc = $1 order by id desc limit $2::int)`,
);

// The log has everything since its oldest base.
const LIST = statement<SnapshotMark>(
  "snapshot_list",
  `select id, seq, (extract(epoch from at) * 1000)::float8 as "atMs" from quern.doc_snapshot
  where doc = $1 and seq >= (select min(seq) from quern.doc_base where doc = $1) order by id desc`,
);

const REMOVE = statement<{ id: string }>(
  "snapshot_remove",
  "delete from quern.doc_snapshot where doc = $1 and id = any($2::text[]) returning id",
);

/** Adds a mark of the newest content up to a commit, unless that is the newest mark's, and keeps the newest marks. */
export async function addSnapshotMark(
  session: Session,
  { doc, id, seq, atMs, keep }: SnapshotMark & { readonly doc: string; readonly keep: number },
): Promise<void> {
  await session.run(ADD, [doc, id, seq, atMs]);
  await session.run(TRIM, [doc, keep]);
}

/** Lists the marks whose content the log has, newest first. */
export const listSnapshotMarks = async (session: Session, doc: string): Promise<readonly SnapshotMark[]> =>
  (await session.run(LIST, [doc])).rows;

/** Removes marks, and returns the ids that existed. */
export const removeSnapshotMarks = async (
  session: Session,
  { doc, ids }: { readonly doc: string; readonly ids: readonly string[] },
): Promise<string[]> => (await session.run(REMOVE, [doc, ids])).rows.map(({ id }) => id);
