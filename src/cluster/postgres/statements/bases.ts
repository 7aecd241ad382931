import { statement, type RunOptions, type Session } from "../connection.ts";
import { unknownOutcome, type AppendOutcome } from "./appends.ts";

/** A complete image of a document's file at a sequence number. */
export interface BaseHeader {
  /** Names the chunks; new for every attempt. */
  readonly ref: string;
  readonly seq: number;
  readonly epoch: number;
  readonly contentEpoch: string;
  /** Of the file, in bytes. */
  readonly sizeBytes: number;
  readonly chunks: number;
  /** Of all chunks as stored, in bytes. */
  readonly storedBytes: number;
  /** SHA-256 of the file. */
  readonly checksum: Uint8Array;
  /** The checksum that the next row continues: that of the row with this number, if there is one. */
  readonly chain: Uint8Array;
}

export interface BaseRow extends BaseHeader {
  /** When the document had this content. */
  readonly committedAtMs: number;
}

const WRITE_CHUNK = statement(
  "base_write_chunk",
  "insert into quern.doc_base_chunk (doc, ref, chunk, bytes) values ($1, $2, $3, $4)",
);

const READ_CHUNK = statement<{ bytes: Uint8Array }>(
  "base_read_chunk",
  "select bytes from quern.doc_base_chunk where doc = $1 and ref = $2 and chunk = $3",
);

/** The columns of a base, as `BaseRow`. */
export const BASE_COLUMNS = `ref, seq, epoch, content_epoch as "contentEpoch", size as "sizeBytes", chunks,
  stored as "storedBytes", checksum, chain, (extract(epoch from committed_at) * 1000)::float8 as "committedAtMs"`;

const LIST = statement<BaseRow>(
  "base_list",
  `select ${BASE_COLUMNS} from quern.doc_base where doc = $1 order by seq, committed_at`,
);

// The content of a base that follows the log is as old as the row at its number. Repeating the statement changes nothing.
const POINT = statement(
  "base_point",
  `with fence as (
    update quern.doc_owner set head = greatest(head, $4::bigint), base_seq = $4::bigint, base_ref = $3,
      due_at = case when $11::bigint is null then due_at else to_timestamp($13::float8 / 1000) end
    where doc = $1 and epoch = $2::bigint and node = $12 and coalesce(base_seq <= $4::bigint, true)
      and case when $11::bigint is null then head >= $4::bigint else head = $11::bigint and head < $4::bigint end
    returning epoch),
  inserted as (
    insert into quern.doc_base (doc, ref, seq, epoch, content_epoch, size, chunks, stored, checksum, chain, committed_at)
    select $1, $3, $4::bigint, fence.epoch, $5, $6, $7, $8, $9, $10,
      coalesce((select appended_at from quern.doc_log where doc = $1 and seq = $4::bigint), clock_timestamp())
    from fence
    on conflict (doc, ref) do nothing)
  select 1 from fence`,
);

/** Writes one chunk of a base that nothing points to yet. */
export async function writeBaseChunk(
  session: Session,
  {
    doc,
    ref,
    chunk,
    bytes,
  }: { readonly doc: string; readonly ref: string; readonly chunk: number; readonly bytes: Uint8Array },
  options: RunOptions = {},
): Promise<void> {
  await session.run(WRITE_CHUNK, [doc, ref, chunk, bytes], options);
}

/** Reads chunks one by one, to verify them or to rebuild a file. Throws an Error if one is missing. */
export async function* readBaseChunks(
  session: Session,
  { doc, ref, chunks }: { readonly doc: string; readonly ref: string; readonly chunks: number },
  options: RunOptions = {},
): AsyncGenerator<Uint8Array> {
  for (let chunk = 0; chunk < chunks; chunk++) {
    const row = (await session.run(READ_CHUNK, [doc, ref, chunk], options)).rows[0];
    if (!row) throw new Error(`chunk ${chunk} of base ${ref} is missing`);
    yield row.bytes;
  }
}

export interface BaseChange {
  readonly doc: string;
  readonly node: string;
  readonly base: BaseHeader;
  readonly advanceFrom: number | null;
  /** With `advanceFrom`: when deliveries of the document are due; null for never. */
  readonly dueAtMs?: number | null;
}

/**
 * Makes a base, whose chunks are written and verified, the one that takers start from; fenced like an append.
 * @param change.advanceFrom for content that no row leads to (an import, a restore, a large commit): the head before,
 * which moves to the base's number. Null for an image of an appended commit
 * @returns `unknown` unless PostgreSQL confirmed it: find out with `readHead`
 */
export async function pointToBase(
  session: Session,
  { doc, node, base, advanceFrom, dueAtMs = null }: BaseChange,
  options: RunOptions = {},
): Promise<AppendOutcome> {
  const { ref, seq, epoch, contentEpoch, sizeBytes, chunks, storedBytes, checksum, chain } = base;
  const image = [contentEpoch, sizeBytes, chunks, storedBytes, checksum, chain];
  const values = [doc, epoch, ref, seq, ...image, advanceFrom, node, dueAtMs];
  try {
    const { count, warnings } = await session.run(POINT, values, options);
    const [warning] = warnings;
    if (warning !== undefined) return { kind: "unknown", cause: "warning", message: warning };
    if (count === 1) return { kind: "appended" };
    return { kind: "unknown", cause: "no rows", message: "the epoch or the head has changed" };
  } catch (error) {
    return unknownOutcome(error);
  }
}

/** Lists the bases of a document, oldest first. */
export const listBases = async (session: Session, doc: string): Promise<readonly BaseRow[]> =>
  (await session.run(LIST, [doc])).rows;
