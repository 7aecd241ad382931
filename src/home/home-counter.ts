import { randomHex } from "../lib/ids.ts";
import type { CommitHook, Database } from "../sqlite/database.ts";
import { type ChangeCount, COUNTER_TABLE } from "../sqlite/wal/commit-count.ts";

/**
 * The change counter of the home database, which exists once the database has been in log mode; every process that writes
 * to it then advances the counter. It advances once for all commits that are collected together: only their end is a
 * content that a log knows.
 */
export class HomeCounter implements CommitHook {
  readonly #db: Database;
  readonly #epoch = randomHex(8);
  /** SQLite's count of changed rows after the last commit. */
  #changedRows: number;
  /** The count of the commits of this process that were not yet collected. */
  #uncollected: ChangeCount | null = null;
  #pending: ChangeCount | null = null;
  #isAdvanceForced = false;

  private constructor(db: Database) {
    this.#db = db;
    this.#changedRows = this.#totalChanges();
    db.setCommitHook(this, { countsStatements: true });
  }

  /** Returns the counter of a database that has one; `create` stores one where the table exists. */
  static of(db: Database, { create = false }: { create?: boolean } = {}): HomeCounter | null {
    if (!hasTable(db)) return null;
    if (create) db.run(`insert or ignore into ${COUNTER_TABLE} (id, epoch, seq) values (1, ?, 1)`, randomHex(8));
    return readCount(db) && new HomeCounter(db);
  }

  /** True when a database has a counter: it is, or has been, in log mode. */
  static exists(db: Database): boolean {
    return hasTable(db) && readCount(db) !== null;
  }

  /** The count in the file. */
  get count(): ChangeCount | null {
    return readCount(this.#db);
  }

  /** Call when the commits so far were collected: the next one advances the counter. */
  collected(): void {
    this.#uncollected = null;
  }

  /** Advances the counter with the next transaction, whether or not that changes rows. */
  advance(): void {
    this.#uncollected = null;
    this.#isAdvanceForced = true;
  }

  onBegin(): void {
    this.#pending = null;
  }

  beforeCommit(): void {
    if (this.#totalChanges() === this.#changedRows && !this.#isAdvanceForced) return;
    const count = readCount(this.#db);
    if (!count) return;
    this.#pending = count;
    if (this.#uncollected && isSame(count, this.#uncollected)) return;
    this.#pending = { epoch: this.#epoch, seq: count.seq + 1 };
    this.#db.run(`update ${COUNTER_TABLE} set epoch = ?, seq = ? where id = 1`, this.#epoch, this.#pending.seq);
  }

  onCommit(): void {
    this.#changedRows = this.#totalChanges();
    this.#isAdvanceForced = false;
    this.#uncollected = this.#pending ?? this.#uncollected;
  }

  #totalChanges(): number {
    return Number(this.#db.values("select total_changes()")[0]?.[0]);
  }
}

const hasTable = (db: Database): boolean =>
  db.get("select 1 from sqlite_master where type = 'table' and name = ?", COUNTER_TABLE) !== null;

const readCount = (db: Database): ChangeCount | null =>
  db.get<ChangeCount>(`select epoch, seq from ${COUNTER_TABLE} where id = 1`);

/** True for counts of the same commit. */
export const isSame = (a: ChangeCount | null, b: ChangeCount | null): boolean =>
  a?.epoch === b?.epoch && a?.seq === b?.seq;
