import { statement, type BoundValue, type RunOptions, type Session, type Statement } from "../connection.ts";
import { ConnectionLostError, StatementError } from "../failures.ts";

/** One group commit. */
export interface LogRow {
  readonly seq: number;
  /** The epoch of the change counter in the document, which differs from the epoch of ownership. */
  readonly contentEpoch: string;
  /** The compressed pages. */
  readonly frames: Uint8Array;
  /** Chained to the previous row. */
  readonly checksum: Uint8Array;
}

export interface Append {
  readonly doc: string;
  /** The caller. */
  readonly node: string;
  /** The epoch under which the caller owns the document. */
  readonly epoch: number;
  /** Consecutive, at least one. The first follows the head. */
  readonly rows: readonly LogRow[];
  /** When deliveries of the document are due; null for never. */
  readonly dueAtMs: number | null;
}

/**
 * `unknown`: the rows may or may not be in the log. It never means that they are not: PostgreSQL answers with zero rows
 * when the rows were appended by an earlier attempt, too.
 */
export type AppendOutcome =
  | { readonly kind: "appended" }
  | { readonly kind: "unknown"; readonly cause: "no rows" | "warning" | "error" | "lost"; readonly message: string };

/** The most rows of one statement. */
export const MAX_APPENDED_ROWS = 16;

const appendStatements = new Map<number, Statement>();

/**
 * One statement checks the fence, moves the head and inserts the rows: `doc_owner` is updated only if the caller
 * is the owner under its epoch and the head is the row before the first one, and nothing is inserted otherwise.
 */
function appendStatement(rows: number): Statement {
  let found = appendStatements.get(rows);
  if (found) return found;
  const tuples = Array.from({ length: rows }, (_, i) => {
    const [seq, contentEpoch, frames, checksum] = [0, 1, 2, 3].map((column) => 7 + i * 4 + column);
    return `($${seq}::bigint, $${contentEpoch}::text, $${frames}::bytea, $${checksum}::bytea)`;
  });
  found = statement(
    `append_${rows}`,
    `with fence as (
      update quern.doc_owner set head = $4::bigint, due_at = to_timestamp($5::float8 / 1000)
      where doc = $1 and epoch = $2::bigint and head = $3::bigint - 1 and node = $6
      returning epoch)
    insert into quern.doc_log (doc, seq, epoch, content_epoch, frames, checksum)
    select $1, row.seq, fence.epoch, row.content_epoch, row.frames, row.checksum
    from fence, (values ${tuples.join(", ")}) as row(seq, content_epoch, frames, checksum)`,
  );
  appendStatements.set(rows, found);
  return found;
}

/**
 * Appends consecutive rows to the log of a document. Never throws for PostgreSQL: everything but a clean answer is
 * `unknown`, and `readHead` finds out. Until then the document takes no writes and releases no answers.
 */
export async function appendRows(session: Session, append: Append, options: RunOptions = {}): Promise<AppendOutcome> {
  const { doc, node, epoch, rows, dueAtMs } = append;
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || rows.length > MAX_APPENDED_ROWS || last.seq !== first.seq + rows.length - 1) {
    throw new Error("an append needs consecutive rows");
  }
  const values: BoundValue[] = [doc, epoch, first.seq, last.seq, dueAtMs, node];
  for (const { seq, contentEpoch, frames, checksum } of rows) values.push(seq, contentEpoch, frames, checksum);
  try {
    const { count, warnings } = await session.run(appendStatement(rows.length), values, options);
    const [warning] = warnings;
    if (warning !== undefined) return { kind: "unknown", cause: "warning", message: warning };
    if (count === rows.length) return { kind: "appended" };
    return { kind: "unknown", cause: "no rows", message: "the epoch or the head has changed" };
  } catch (error) {
    return unknownOutcome(error);
  }
}

/** Returns the outcome of a change that failed with a StatementError or a ConnectionLostError. */
export function unknownOutcome(error: unknown): Extract<AppendOutcome, { kind: "unknown" }> {
  if (error instanceof StatementError) return { kind: "unknown", cause: "error", message: error.message };
  if (error instanceof ConnectionLostError) return { kind: "unknown", cause: "lost", message: error.message };
  throw error;
}
