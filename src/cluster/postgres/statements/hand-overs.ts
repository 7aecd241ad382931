import { statement, type Session } from "../connection.ts";
import type { StoredLogRow } from "./snapshot.ts";

/** A document that names this node as its owner, and the rows after its copy. */
export interface HandedOverDocument {
  readonly epoch: number;
  readonly head: number;
  /** The checksum of the row at the copy's number; null if the log does not have it any more. */
  readonly checksum: Uint8Array | null;
  /** In order. Rows may be missing: see `MAX_ROWS`. */
  readonly rows: readonly Omit<StoredLogRow, "appendedAtMs">[];
}

interface Row {
  readonly epoch: number;
  readonly head: number;
  readonly seq: number;
  readonly rowEpoch: number;
  readonly contentEpoch: string;
  readonly checksum: Uint8Array;
  /** Null for the row at the copy's number. */
  readonly frames: Uint8Array | null;
}

/** A copy that needs more rows, or larger ones, is brought up to date in the usual way. */
const MAX_ROWS = 100;
const MAX_ROW_BYTES = 1024 ** 2;

// One statement, and so one snapshot: owner, head and rows belong together.
const READ = statement<Row>(
  "handed_over",
  `select o.epoch, o.head, row.seq, row.epoch as "rowEpoch", row.content_epoch as "contentEpoch", row.checksum,
    case when row.seq > $3::bigint then row.frames end as frames
  from quern.doc_owner o
    join quern.node n on n.id = o.node and n.lease_until > clock_timestamp()
    join lateral (
      select seq, epoch, content_epoch, checksum, frames from quern.doc_log
      where doc = o.doc and seq >= $3::bigint and octet_length(frames) <= ${MAX_ROW_BYTES}
      order by seq limit ${MAX_ROWS}) as row on true
  where o.doc = $1 and o.node = $2 and o.deleted_at is null
  order by row.seq`,
);

/**
 * Reads the rows from the number of a copy on, in one statement.
 * @returns null if the node does not own the document or has no valid lease, or the log has none of these rows
 */
export async function readHandedOver(
  session: Session,
  { doc, node, seq }: { readonly doc: string; readonly node: string; readonly seq: number },
): Promise<HandedOverDocument | null> {
  const { rows: found } = await session.run(READ, [doc, node, seq]);
  const [first] = found;
  if (!first) return null;
  const rows = found.flatMap(({ frames, rowEpoch, ...row }) =>
    frames === null
      ? []
      : [{ seq: row.seq, epoch: rowEpoch, contentEpoch: row.contentEpoch, checksum: row.checksum, frames }],
  );
  return { epoch: first.epoch, head: first.head, checksum: first.seq === seq ? first.checksum : null, rows };
}
