import { statement, type Connection, type RunOptions, type Session } from "../connection.ts";
import type { LogRow } from "./appends.ts";
import { BASE_COLUMNS, readBaseChunks, type BaseRow } from "./bases.ts";
import { readDocumentState, type DocumentState } from "./ownership.ts";

export interface StoredLogRow extends LogRow {
  readonly epoch: number;
  readonly appendedAtMs: number;
}

/** A consistent view of one document in the log. Valid until the callback of `readDocument` returns. */
export interface DocumentSnapshot {
  readonly state: DocumentState;
  /** The base that the log points to; null before the first one. */
  readonly base: BaseRow | null;
  /** All bases that are kept, oldest first. */
  bases(): Promise<readonly BaseRow[]>;
  /** Reads the chunks of a base in order, one at a time. */
  chunks(base: BaseRow): AsyncGenerator<Uint8Array>;
  /** Reads the rows after a number in order, at most a few megabytes at a time. */
  rows(after: number): AsyncGenerator<StoredLogRow>;
  /** Returns the size of the rows after the current base. */
  bytesSinceBase(): Promise<number>;
  /** Returns the last number that had been appended at a time, in milliseconds since the epoch; null for none. */
  lastSeqAt(timeMs: number): Promise<number | null>;
  /** Reads the checksum and the epochs of one row; null if the log does not have it. */
  row(seq: number): Promise<Omit<StoredLogRow, "frames"> | null>;
}

const BASES = statement<BaseRow>(
  "snapshot_bases",
  `select ${BASE_COLUMNS} from quern.doc_base where doc = $1 order by seq, committed_at`,
);

const ROW_COLUMNS = `seq, epoch, content_epoch as "contentEpoch", checksum,
  (extract(epoch from appended_at) * 1000)::float8 as "appendedAtMs"`;

const ROW = statement<Omit<StoredLogRow, "frames">>(
  "snapshot_row",
  `select ${ROW_COLUMNS} from quern.doc_log where doc = $1 and seq = $2`,
);

// Times are shown in milliseconds: a row counts as appended at the time that is shown for it.
const LAST_SEQ_AT = statement<{ seq: number | null }>(
  "snapshot_last_seq_at",
  `select max(seq) as seq from (
    select seq, appended_at as at from quern.doc_log where doc = $1
    union all select seq, committed_at from quern.doc_base where doc = $1) as entry
  where date_trunc('milliseconds', at) <= to_timestamp($2::float8 / 1000)`,
);

const TAIL_BYTES = statement<{ bytes: number }>(
  "snapshot_tail_bytes",
  `select coalesce(sum(octet_length(frames)), 0)::float8 as bytes from quern.doc_log where doc = $1 and seq > $2::bigint`,
);

// The sum excludes the row itself, so that a batch has at least one row.
const ROWS = statement<StoredLogRow>(
  "snapshot_rows",
  `select ${ROW_COLUMNS}, frames from quern.doc_log
  where doc = $1 and seq = any (array(
    select seq from (
      select seq, sum(octet_length(frames)) over (order by seq) - octet_length(frames) as before
      from (select seq, frames from quern.doc_log where doc = $1 and seq > $2 order by seq limit $3::int) as next
    ) as sized where before < $4::bigint))
  order by seq`,
);

/** The most rows and bytes of one batch of `rows`. */
const MAX_BATCH_ROWS = 500;
const MAX_BATCH_BYTES = 4 * 1024 ** 2;

/**
 * Reads a document in one transaction (REPEATABLE READ): base and log belong together even while the owner publishes a
 * base and prunes the log.
 * @returns null if the log does not have the document
 */
export function readDocument<T>(
  connection: Connection,
  doc: string,
  use: (snapshot: DocumentSnapshot) => Promise<T>,
  options: RunOptions = {},
): Promise<T | null> {
  const read = async (session: Session): Promise<T | null> => {
    const state = await readDocumentState(session, doc);
    if (!state) return null;
    const bases = async () => (await session.run(BASES, [doc])).rows;
    const base = state.baseRef === null ? null : ((await bases()).find(({ ref }) => ref === state.baseRef) ?? null);
    return use({
      state,
      base,
      bases,
      chunks: ({ ref, chunks }) => readBaseChunks(session, { doc, ref, chunks }),
      rows: (after) => readRows(session, doc, after),
      bytesSinceBase: async () => (await session.run(TAIL_BYTES, [doc, state.baseSeq ?? 0])).rows[0]?.bytes ?? 0,
      lastSeqAt: async (timeMs) => (await session.run(LAST_SEQ_AT, [doc, timeMs])).rows[0]?.seq ?? null,
      row: async (seq) => (await session.run(ROW, [doc, seq])).rows[0] ?? null,
    });
  };
  return connection.transaction("repeatable read read only", read, options);
}

/** Reads the rows of a document after a number in order, at most a few megabytes at a time. */
export async function* readRows(session: Session, doc: string, after: number): AsyncGenerator<StoredLogRow> {
  let last = after;
  for (;;) {
    const { rows } = await session.run(ROWS, [doc, last, MAX_BATCH_ROWS, MAX_BATCH_BYTES]);
    const final = rows.at(-1);
    if (!final) return;
    yield* rows;
    last = final.seq;
  }
}
