import { Database as BunDatabase, SQLiteError, type Statement } from "bun:sqlite";
import { statSync } from "node:fs";
import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { recordDurationSince } from "../lib/observability/measurements.ts";
import { translateSqliteError } from "./errors.ts";

/** The types of SQLite values. */
export type SqlValue = null | number | bigint | string | Uint8Array;

export interface OpenOptions {
  /** Refuses writes. The file must exist. */
  readonly?: boolean;
  /** Creates the file if it does not exist. */
  create?: boolean;
  /** `wal` for files that the server uses; `keep` leaves the file's journal mode. */
  journal?: "wal" | "keep";
  /** `full`: an acknowledged commit survives a power failure. `normal`: it survives a crash of the process. */
  durability?: "full" | "normal";
  /** Timeout for locks of other processes. */
  busyTimeoutMs?: number;
  foreignKeys?: boolean;
  /** Measures its transactions under this name. */
  measuredAs?: "home" | "document";
  /** Reports slow statements. Their text holds no bound values. */
  slowQueries?: SlowQueryReport;
}

export interface SlowQueryReport {
  /** Statements that take at least this long are reported; 0 reports none. */
  readonly ms: number;
  readonly report: (query: SlowQuery) => void;
}

export interface SlowQuery {
  readonly sql: string;
  readonly ms: number;
}

/** Size of the prepared statement cache: filters and sorts of requests produce ever new statements. */
const MAX_STATEMENTS = 300;

/**
 * A synchronous SQLite connection with a cache of prepared statements. Errors of the disk and the file are translated
 * to `AppError` (see `errors.ts`); all others are thrown as bun:sqlite throws them.
 */
export class Database implements Disposable {
  readonly #connection: BunDatabase;
  readonly path: string;
  #statements = new Map<string, Statement>();
  #depth = 0;
  readonly #synchronous: "full" | "normal";
  readonly #metricName: OpenOptions["measuredAs"];
  /** The inode of the file, if it is kept open for long. */
  readonly #inode: number | null;
  #closed = false;
  #lastCommitMs = 0;
  /** Callbacks for after the commit of the outermost transaction, in order. */
  #afterCommit: (() => void)[] = [];
  readonly #slowQueries: SlowQueryReport | undefined;

  constructor(path: string, options: OpenOptions = {}) {
    const { readonly = false, create = false, journal = "keep", durability = "full" } = options;
    this.path = path;
    this.#synchronous = durability;
    this.#metricName = options.measuredAs;
    this.#slowQueries = options.slowQueries?.ms ? options.slowQueries : undefined;
    this.#connection = withTranslatedErrors(
      () => new BunDatabase(path, readonly ? { readonly: true } : { readwrite: true, create }),
    );
    try {
      this.exec(`pragma busy_timeout = ${options.busyTimeoutMs ?? 250}`);
      // A document is untrusted data: its triggers and views must not call functions.
      this.exec("pragma trusted_schema = off");
      if (!readonly) {
        if (journal === "wal") this.exec("pragma journal_mode = wal");
        this.exec(`pragma synchronous = ${durability}`);
      }
      this.exec(`pragma foreign_keys = ${options.foreignKeys ? "on" : "off"}`);
      this.#inode = journal === "wal" ? inodeOf(path) : null;
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  /** Returns a cached prepared statement. */
  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement) {
      // Nothing is evicted while the cache is half empty, so LRU order matters only above that.
      if (this.#statements.size > MAX_STATEMENTS / 2) {
        this.#statements.delete(sql);
        this.#statements.set(sql, statement);
      }
      return statement;
    }
    statement = withTranslatedErrors(() => this.#connection.prepare(sql), sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > MAX_STATEMENTS) {
      // Not finalized, since a caller may still hold it; it is finalized when it is garbage-collected.
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    return statement;
  }

  /** Runs one or several statements without parameters. */
  exec(sql: string): void {
    this.#timed(sql, () => this.#connection.run(sql));
  }

  run(sql: string, ...args: SqlValue[]): void {
    this.#timed(sql, () => this.prepare(sql).run(...args));
  }

  get<T>(sql: string, ...args: SqlValue[]): T | null {
    return this.#timed(sql, () => this.prepare(sql).get(...args)) as T | null;
  }

  all<T>(sql: string, ...args: SqlValue[]): T[] {
    return this.#timed(sql, () => this.prepare(sql).all(...args)) as T[];
  }

  /** Returns rows as arrays, in the order of the selected columns. */
  values(sql: string, ...args: SqlValue[]): SqlValue[][] {
    return this.#timed(sql, () => this.prepare(sql).values(...args)) as SqlValue[][];
  }

  /** Prepares a statement outside of the cache; the caller disposes of it. For statements that read row by row. */
  prepareUncached<Row>(sql: string): Statement<Row, []> {
    return withTranslatedErrors(() => this.#connection.prepare<Row, []>(sql), sql);
  }

  /** Returns the database as the bytes of its file. */
  serialize(): Buffer {
    return withTranslatedErrors(() => this.#connection.serialize());
  }

  /** Passes the connection to an ORM, which must not keep transactions of its own. */
  wrapConnection<T>(wrap: (connection: BunDatabase) => T): T {
    return wrap(this.#connection);
  }

  /**
   * Runs `work` in an immediate transaction; nested, in a savepoint. Rolls back if it throws. A returned promise is
   * rejected: the transaction would end before the work.
   */
  transaction<T>(work: () => T): T {
    const result = this.#runTransaction(work);
    if (this.#depth === 0 && this.#afterCommit.length > 0) {
      const callbacks = this.#afterCommit;
      this.#afterCommit = [];
      for (const callback of callbacks) guarded(callback)();
    }
    return result;
  }

  /**
   * Calls `callback` after the outermost transaction has committed, before `transaction` returns; not if that
   * transaction, or the savepoint it was registered in, is rolled back. A callback that is registered twice is called
   * once. Its errors are reported but not thrown: the change is durable.
   * @throws Error outside of a transaction
   */
  afterCommit(callback: () => void): void {
    if (this.#depth === 0) throw new Error("afterCommit needs a transaction");
    if (!this.#afterCommit.includes(callback)) this.#afterCommit.push(callback);
  }

  /** True while a transaction is open. SQLite may roll one back itself, e.g. when the disk is full. */
  get inTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  #runTransaction<T>(work: () => T): T {
    const name = `level_${this.#depth}`;
    const outer = this.#depth === 0;
    const registered = this.#afterCommit.length;
    if (outer) this.#runMeasured("Lock", "begin immediate");
    else this.run(`savepoint ${name}`);
    this.#depth++;
    try {
      const result = work();
      if (result instanceof Promise) throw new Error("a transaction must be synchronous");
      if (outer) this.#commit();
      else this.run(`release ${name}`);
      return result;
    } catch (error) {
      this.#afterCommit.length = registered;
      if (this.inTransaction) this.#connection.run(outer ? "rollback" : `rollback to ${name}; release ${name}`);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  /** Duration of the last commit in milliseconds: mostly disk time. */
  get lastCommitMs(): number {
    return this.#lastCommitMs;
  }

  /**
   * As `transaction`, without waiting for the disk: for changes that may be lost in a power failure. Later durable
   * commits also make these durable.
   */
  transactionWithoutSync<T>(work: () => T): T {
    if (this.#depth > 0 || this.#synchronous !== "full") return this.transaction(work);
    this.exec("pragma synchronous = normal");
    try {
      return this.transaction(work);
    } finally {
      this.exec("pragma synchronous = full");
    }
  }

  /** Writes to a file that was deleted or replaced would be acknowledged and lost. */
  #commit(): void {
    if (this.#inode !== null && inodeOf(this.path) !== this.#inode) {
      throw new AppError("damaged", "The file was deleted or replaced while open; nothing was changed");
    }
    this.#runMeasured("Commit", "commit");
  }

  #runMeasured(operation: "Lock" | "Commit", sql: string): void {
    const start = performance.now();
    try {
      this.run(sql);
    } finally {
      if (operation === "Commit") this.#lastCommitMs = performance.now() - start;
      if (this.#metricName) recordDurationSince(`${this.#metricName}${operation}`, start);
    }
  }

  /** Runs a statement, adds its text to what it throws, and reports it when it is slow. */
  #timed<T>(sql: string, work: () => T): T {
    const slow = this.#slowQueries;
    if (!slow) return withTranslatedErrors(work, sql);
    const start = performance.now();
    try {
      return withTranslatedErrors(work, sql);
    } finally {
      const ms = performance.now() - start;
      if (ms >= slow.ms) slow.report({ sql: shortened(sql), ms: Math.round(ms) });
    }
  }

  /** Clears the statement cache; required after a schema change. */
  clearStatements(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.clearStatements();
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const inodeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.ino ?? null;

function withTranslatedErrors<T>(work: () => T, sql?: string): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(withSql(error, sql));
  }
}

const MAX_LOGGED_SQL = 500;

const shortened = (sql: string): string => (sql.length > MAX_LOGGED_SQL ? `${sql.slice(0, MAX_LOGGED_SQL)}…` : sql);

/** Adds the text of the statement to the message of SQLite's error, for the log. */
function withSql(error: unknown, sql: string | undefined): unknown {
  if (sql !== undefined && error instanceof SQLiteError && !error.message.includes(" [SQL: ")) {
    error.message += ` [SQL: ${shortened(sql)}]`;
  }
  return error;
}
