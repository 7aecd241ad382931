import { statement, type RunOptions, type Session } from "../connection.ts";
import { StatementError } from "../failures.ts";

/** The log at one sequence number: a row or a base, nothing because it was pruned, or nothing because it was never written. */
export type EntryAtSeq =
  | { readonly kind: "found"; readonly checksum: Uint8Array; readonly contentEpoch: string }
  | { readonly kind: "pruned" }
  | { readonly kind: "absent" };

/** The state of a document's log, read in one statement. */
export interface DocumentHead {
  readonly epoch: number;
  /** The owner; null when released. */
  readonly node: string | null;
  readonly head: number;
  /** The chained checksum at the head; null when nothing has that number: head 0, or a damaged log. */
  readonly checksum: Uint8Array | null;
  /** The log at the number that was asked for. */
  readonly atSeq: EntryAtSeq;
}

interface HeadRow {
  readonly epoch: number;
  readonly node: string | null;
  readonly head: number;
  readonly checksum: Uint8Array | null;
  readonly atChecksum: Uint8Array | null;
  readonly atContentEpoch: string | null;
  /** The smallest number that the log still has; null for none. */
  readonly oldest: number | null;
}

const CONFIRM = statement("confirm", "update quern.doc_owner set head = head where doc = $1");

// A base continues the chain where no row has its number.
const READ_HEAD = statement<HeadRow>(
  "read_head",
  `with entry as (
    select seq, checksum, content_epoch, 0 as place from quern.doc_log
    where doc = $1 and seq in ($2::bigint, (select head from quern.doc_owner where doc = $1))
    union all
    select seq, chain, content_epoch, 1 from quern.doc_base where doc = $1)
  select o.epoch, o.node, o.head,
    (select checksum from entry where seq = o.head order by place limit 1) as checksum,
    (select checksum from entry where seq = $2::bigint order by place limit 1) as "atChecksum",
    (select content_epoch from entry where seq = $2::bigint order by place limit 1) as "atContentEpoch",
    least(
      (select min(seq) from quern.doc_log where doc = $1),
      (select min(seq) from quern.doc_base where doc = $1)) as oldest
  from quern.doc_owner o where o.doc = $1`,
);

/** The SQLSTATE of warnings without a code of their own. */
const WARNING = "01000";

/**
 * Reads owner, head and the log at one number, after everything before is final.
 *
 * A write to the document's row comes first. It waits for an append that PostgreSQL is still committing for a lost
 * connection, and its own commit waits for the synchronous standby, which may have missed an append whose wait was
 * cancelled.
 * @returns null if the log does not have the document
 * @throws StatementError, ConnectionLostError: read again
 */
export async function readHead(
  session: Session,
  { doc, seq }: { readonly doc: string; readonly seq: number },
  options: RunOptions = {},
): Promise<DocumentHead | null> {
  const { warnings } = await session.run(CONFIRM, [doc], options);
  if (warnings[0] !== undefined) throw new StatementError(warnings[0], WARNING);
  const row = (await session.run(READ_HEAD, [doc, seq], options)).rows[0];
  if (!row) return null;
  const { epoch, node, head, checksum } = row;
  return { epoch, node, head, checksum, atSeq: entryAt(seq, row) };
}

function entryAt(seq: number, { atChecksum, atContentEpoch, oldest }: HeadRow): EntryAtSeq {
  if (atChecksum && atContentEpoch !== null)
    return { kind: "found", checksum: atChecksum, contentEpoch: atContentEpoch };
  return oldest !== null && seq < oldest ? { kind: "pruned" } : { kind: "absent" };
}
