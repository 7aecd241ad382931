import { randomHex } from "../lib/ids.ts";
import type { Database, SqlValue } from "../sqlite/database.ts";
import { type ChangeCount, COUNTER_TABLE } from "../sqlite/wal/commit-count.ts";
import type { CommitCounter } from "../sqlite/wal/commit-log.ts";
import { newestState } from "./history.ts";

export type { ChangeCount } from "../sqlite/wal/commit-count.ts";

/** The counts of the last commit, and of the last commit that changed metadata: tables, columns, access rules. */
export interface CommitCounts extends ChangeCount {
  readonly schema: ChangeCount;
}

/**
 * An internal table with one row; like all `_quern_` tables it is left out of downloads and copies. `history_id` is the
 * newest state of the history when the row was written. Each later state is one more commit, so that a commit of one
 * change need not write the row, which would cost a page. When the file is closed, the row is brought up to date: in a
 * file that is not open, later states come from a version without the counter or from an unclean close, and the row is
 * not valid.
 */
const COUNTER_SCHEMA = `
  create table if not exists _quern_commit (id integer primary key, epoch text not null, seq integer not null,
    schema_epoch text not null, schema_seq integer not null, history_id integer)`;

const NEWEST_STATE = "(select id from _gristsys_ActionHistory order by id desc limit 1)";

/** Commits since the row was written. */
const LATER_COMMITS = `coalesce(${NEWEST_STATE}, 0) - coalesce(history_id, 0)`;

const COLUMNS = "epoch, seq, schema_epoch, schema_seq";

const READ = `
  select epoch, seq + ${LATER_COMMITS}, schema_epoch, schema_seq, ${LATER_COMMITS} from _quern_commit where id = 1`;

const READ_BEFORE_COMMIT = `
  select total_changes(), epoch, seq, coalesce(${NEWEST_STATE}, 0) from _quern_commit where id = 1`;

const ADVANCE = `update _quern_commit set epoch = ?1, seq = ?2, schema_epoch = iif(?3, ?1, schema_epoch),
  schema_seq = iif(?3, ?2, schema_seq), history_id = ${NEWEST_STATE} where id = 1`;

const BRING_UP_TO_DATE = `
  update _quern_commit set seq = seq + ${LATER_COMMITS}, history_id = ${NEWEST_STATE} where id = 1 and epoch = ?`;

/**
 * The change counter of an open document. On the document's own connection it advances in the transaction of each
 * commit; other connections read it in the transaction of what they read.
 */
export class ChangeCounter implements CommitCounter {
  readonly #db: Database;
  readonly #epoch = randomHex(8);
  /** Null while the file has no valid counter. */
  #counts: CommitCounts | null;
  /** The number of the last commit, also of one by a counter that is not valid: numbers rise across epochs. */
  #lastSeq: number;
  /** The newest state of the history after the last commit of this connection. */
  #stateId = 0;
  /** False when states of the history count commits since the row was written. */
  #isRowUpToDate = true;
  /** The state once the current transaction is committed. */
  #pending: { readonly counts: CommitCounts; readonly stateId: number; readonly isRowUpToDate: boolean } | null = null;
  #isSchemaChanged = false;
  /** The last change, or rollback of one, in the current transaction, which several changes may share; 0 for none. */
  #uncommittedChange = 0;
  /** Number of changes and rollbacks so far: those of a transaction that was rolled back are not numbered again. */
  #changes = 0;
  /** SQLite's count of changed rows after the last commit. */
  #changedRows = 0;
  readonly #countsAll: boolean;
  /** What changes with tables, indexes and free pages, which SQLite does not count as changed rows. */
  #structure = "";
  #isAdvanceForced = false;

  /**
   * @param countsAll for log mode: advances with commits that change no rows as well, of tables or free pages, and writes
   * the row with each commit, so that it is valid after a crash
   */
  constructor(db: Database, { countsAll = false }: { countsAll?: boolean } = {}) {
    this.#db = db;
    this.#countsAll = countsAll;
    if (countsAll) this.#structure = readStructure(db);
    const row = readRow(db);
    this.#counts = row && row.at(-1) === 0 ? toCounts(row) : null;
    this.#lastSeq = row ? toCounts(row).seq : 0;
  }

  /** The counts of the last commit; null while the file has none that is valid. */
  get counts(): CommitCounts | null {
    return this.#counts;
  }

  /** The epoch of all commits of this connection. */
  get ownEpoch(): string {
    return this.#epoch;
  }

  /** Differs between any two contents, including those within a transaction. */
  get version(): string {
    const { epoch, seq } = this.#counts ?? { epoch: this.#epoch, seq: 0 };
    const version = `${epoch}.${seq}`;
    // After a rollback the number is that of the former transaction.
    return this.#uncommittedChange === 0 || !this.#db.inTransaction ? version : `${version}+${this.#uncommittedChange}`;
  }

  /** Stores a counter in a file without a valid one: in a document of an older version, and in a copy. */
  ensureStored(): void {
    if (!this.#counts) this.#db.transaction(() => undefined);
  }

  /** Call when the current transaction changes metadata. */
  schemaChanged(): void {
    this.#isSchemaChanged = true;
  }

  /** Call when a change is complete, or was rolled back, but its transaction, which it shares with others, continues. */
  changeCompleted(): void {
    if (this.#db.inTransaction) this.#uncommittedChange = ++this.#changes;
  }

  /** Reads the counter, in the transaction of the rows that it is for. */
  refresh(): void {
    const [row] = this.#counts ? this.#db.values(READ) : [];
    const found = row ?? readRow(this.#db);
    this.#counts = found ? toCounts(found) : unknownCounts();
  }

  isCurrent(): boolean {
    if (!this.#counts) return true;
    const [row] = this.#db.values(READ);
    return row?.[0] === this.#counts.epoch && Number(row[1]) === this.#counts.seq;
  }

  advance(): void {
    this.#isAdvanceForced = true;
  }

  onBegin(): void {
    // The last commit failed, which may be an error after it took effect.
    if (this.#pending) this.#readAfterFailure();
    this.#isSchemaChanged = false;
    this.#isAdvanceForced = false;
    this.#uncommittedChange = 0;
    this.#pending = null;
  }

  /** Advances the counter by one, unless the transaction changed nothing. */
  beforeCommit(): void {
    if (!this.#counts) return this.#store();
    const [row] = this.#db.values(READ_BEFORE_COMMIT);
    if (!row) return this.#store();
    const [changedRows, epoch, storedSeq, stateId] = [Number(row[0]), row[1], Number(row[2]), Number(row[3])];
    if (changedRows === this.#changedRows && !this.#isStructureChanged() && !this.#isAdvanceForced) return;
    const isOwn = epoch === this.#epoch;
    // Another connection may have written the row.
    const seq = Math.max(this.#counts.seq, isOwn ? 0 : storedSeq) + 1;
    const commit = { epoch: this.#epoch, seq };
    const isCountedByHistory = !this.#countsAll && isOwn && !this.#isSchemaChanged && stateId === this.#stateId + 1;
    if (!isCountedByHistory) this.#db.run(ADVANCE, this.#epoch, seq, Number(this.#isSchemaChanged));
    this.#changedRows = changedRows + (isCountedByHistory ? 0 : 1);
    const counts = { ...commit, schema: this.#isSchemaChanged ? commit : this.#counts.schema };
    this.#pending = { counts, stateId, isRowUpToDate: !isCountedByHistory };
  }

  onCommit(): void {
    if (!this.#pending) return;
    const { counts, stateId, isRowUpToDate } = this.#pending;
    this.#counts = counts;
    this.#lastSeq = counts.seq;
    this.#stateId = stateId;
    this.#isRowUpToDate = isRowUpToDate;
    this.#pending = null;
  }

  /** Writes the row for the last commit. Call when no further change follows: the row stays valid in the closed file. */
  bringUpToDate(): void {
    if (this.#isRowUpToDate) return;
    // Without this write, which the next opening of the file does not need, the row is only not valid.
    this.#db.exec("pragma synchronous = normal");
    this.#db.run(BRING_UP_TO_DATE, this.#epoch);
    this.#isRowUpToDate = true;
  }

  #isStructureChanged(): boolean {
    if (!this.#countsAll) return false;
    const before = this.#structure;
    this.#structure = readStructure(this.#db);
    return this.#structure !== before;
  }

  #readAfterFailure(): void {
    const row = readRow(this.#db);
    // A row of an earlier opening is valid only as after opening.
    this.#counts = row && (row[0] === this.#epoch || row.at(-1) === 0) ? toCounts(row) : null;
    this.#lastSeq = this.#counts?.seq ?? this.#lastSeq;
    this.#stateId = newestState(this.#db)?.id ?? 0;
    this.#isRowUpToDate = row?.at(-1) === 0;
  }

  /** Begins an epoch in a file without a valid counter. */
  #store(): void {
    const first = { epoch: this.#epoch, seq: this.#lastSeq + 1 };
    storeCounter(this.#db, first);
    const stateId = newestState(this.#db)?.id ?? 0;
    this.#pending = { counts: { ...first, schema: first }, stateId, isRowUpToDate: true };
  }
}

/** Stores the counter of a new file, or of one that was changed other than by a commit of an open document. */
export const renewCounter = (db: Database, count: ChangeCount = { epoch: randomHex(8), seq: 1 }): void =>
  storeCounter(db, count);

function storeCounter(db: Database, { epoch, seq }: ChangeCount): void {
  db.exec(COUNTER_SCHEMA);
  db.run(
    `insert or replace into _quern_commit (id, ${COLUMNS}, history_id) values (1, ?1, ?2, ?1, ?2, ${NEWEST_STATE})`,
    epoch,
    seq,
  );
}

/** Counts for a content without a counter: different for each read, so that nothing is derived from them. */
function unknownCounts(): CommitCounts {
  const count = { epoch: randomHex(8), seq: 0 };
  return { ...count, schema: count };
}

function readRow(db: Database): SqlValue[] | null {
  const exists = db.get("select 1 from sqlite_master where type = 'table' and name = ?", COUNTER_TABLE) !== null;
  return (exists && db.values(READ)[0]) || null;
}

const toCounts = ([epoch, seq, schemaEpoch, schemaSeq]: readonly SqlValue[]): CommitCounts => ({
  epoch: String(epoch),
  seq: Number(seq),
  schema: { epoch: String(schemaEpoch), seq: Number(schemaSeq) },
});

function readStructure(db: Database): string {
  const pragmas = ["schema_version", "page_count", "freelist_count", "user_version"];
  return pragmas.map((name) => db.values(`pragma ${name}`)[0]?.[0]).join(" ");
}
