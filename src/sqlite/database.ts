import { constants, Database as BunDatabase, SQLiteError, type Statement } from "bun:sqlite";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { recordDurationSince } from "../lib/observability/measurements.ts";
import { translateSqliteError } from "./errors.ts";
import type { CheckpointMode, Durability, OpenOptions, SlowQueryReport } from "./open-options.ts";

/** The types of SQLite values. */
export type SqlValue = null | number | bigint | string | Uint8Array;

export type { CheckpointMode, Durability, OpenOptions, SlowQuery, SlowQueryReport } from "./open-options.ts";

/** Takes part in the outermost transactions of a connection. */
export interface CommitHook {
  /** Called when a transaction has begun. */
  onBegin(): void;
  /** Called before the commit; what it writes belongs to the transaction. */
  beforeCommit(): void;
  /** Called after a commit that succeeded. */
  onCommit(): void;
}

const IMMUTABLE_FLAGS = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;

/** Statements that cannot run in a transaction. */
const NOT_IN_TRANSACTION = /^(pragma|vacuum) /;

/** Size of the prepared statement cache: filters and sorts of requests produce ever new statements. */
const MAX_STATEMENTS = 300;

/**
 * A synchronous SQLite connection with a cache of prepared statements. Errors of the disk and the file are translated
 * to `AppError` (see `errors.ts`); all others are thrown as bun:sqlite throws them.
 */
export class Database implements Disposable {
  #connection: BunDatabase;
  readonly #options: OpenOptions;
  readonly path: string;
  #statements = new Map<string, Statement>();
  #depth = 0;
  readonly #synchronous: Durability;
  readonly #metricName: OpenOptions["measuredAs"];
  /** The inode of the file, if it is kept open for long. */
  #inode: number | null = null;
  #closed = false;
  #lastCommitMs = 0;
  /** Callbacks for after the commit of the outermost transaction, in order. */
  #afterCommit: (() => void)[] = [];
  readonly #slowQueries: SlowQueryReport | undefined;
  #commitHook: CommitHook | null = null;
  readonly #keepsLog: boolean;
  #countsStatements = false;
  #refusal: (() => Error) | null = null;

  constructor(path: string, options: OpenOptions = {}) {
    this.path = path;
    this.#options = options;
    this.#synchronous = options.durability ?? "full";
    this.#keepsLog = options.keepsLog ?? false;
    this.#metricName = options.measuredAs;
    this.#slowQueries = options.slowQueries?.ms ? options.slowQueries : undefined;
    this.#connection = connect(path, options);
    this.#configure();
  }

  #configure(): void {
    const { readonly = false, journal = "keep" } = this.#options;
    try {
      this.exec(`pragma busy_timeout = ${this.#options.busyTimeoutMs ?? 250}`);
      // A document is untrusted data: its triggers and views must not call functions.
      this.exec("pragma trusted_schema = off");
      if (!readonly) {
        if (journal === "wal") this.exec("pragma journal_mode = wal");
        this.exec(`pragma synchronous = ${this.#synchronous}`);
        if (this.#keepsLog) this.#keepLog();
      }
      this.exec(`pragma foreign_keys = ${this.#options.foreignKeys ? "on" : "off"}`);
      this.#inode = journal === "wal" ? inodeOf(this.path) : null;
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
    if (this.#isUncountedWrite(sql)) return this.transaction(() => this.run(sql, ...args));
    this.#timed(sql, () => this.prepare(sql).run(...args));
  }

  get<T>(sql: string, ...args: SqlValue[]): T | null {
    if (this.#isUncountedWrite(sql)) return this.transaction(() => this.get(sql, ...args));
    return this.#timed(sql, () => this.prepare(sql).get(...args)) as T | null;
  }

  all<T>(sql: string, ...args: SqlValue[]): T[] {
    if (this.#isUncountedWrite(sql)) return this.transaction(() => this.all(sql, ...args));
    return this.#timed(sql, () => this.prepare(sql).all(...args)) as T[];
  }

  /** Returns rows as arrays, in the order of the selected columns. */
  values(sql: string, ...args: SqlValue[]): SqlValue[][] {
    if (this.#isUncountedWrite(sql)) return this.transaction(() => this.values(sql, ...args));
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

  /**
   * Passes the connection to an ORM, which must not keep transactions of its own. Its statements are those of this
   * object, so that they remain valid after `reopen`, and the commit hook takes part in their transactions.
   */
  wrapConnection<T>(wrap: (connection: BunDatabase) => T): T {
    const prepare = (sql: string) => ({
      run: (...args: SqlValue[]) => this.run(sql, ...args),
      all: (...args: SqlValue[]) => this.all(sql, ...args),
      values: (...args: SqlValue[]) => this.values(sql, ...args),
    });
    // The ORM calls nothing else.
    return wrap({ prepare, exec: (sql: string) => this.exec(sql) } as unknown as BunDatabase);
  }

  /**
   * Closes the connection, calls `work`, and opens the file again. Transactions, commit hooks and statements that a caller
   * has prepared end.
   */
  reopen(work: () => void): void {
    if (this.#depth > 0) throw new Error("a transaction is open");
    this.clearStatements();
    // Without it, an existing log shows that another process has the file open.
    if (this.#keepsLog) this.#connection.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 0);
    this.#connection.close();
    this.#commitHook = null;
    this.#countsStatements = false;
    try {
      work();
    } finally {
      this.#connection = connect(this.path, this.#options);
      this.#configure();
    }
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

  /**
   * Sets the hook that takes part in all further transactions; with `countsStatements` also in those of single
   * statements that write.
   */
  setCommitHook(hook: CommitHook, { countsStatements = this.#keepsLog }: { countsStatements?: boolean } = {}): void {
    this.#commitHook = hook;
    this.#countsStatements = countsStatements;
  }

  /**
   * Refuses all further transactions with an error, or with null allows them again. With a hook that counts statements, this
   * includes single statements that write.
   */
  refuseTransactions(refusal: (() => Error) | null): void {
    this.#refusal = refusal;
  }

  /** False once it is closed. */
  get isOpen(): boolean {
    return !this.#closed;
  }

  /** True while a transaction is open. SQLite may roll one back itself, e.g. when the disk is full. */
  get inTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  /** True for a statement that writes outside of a transaction, whose commit the hook has to take part in. */
  #isUncountedWrite(sql: string): boolean {
    if (!this.#countsStatements || this.inTransaction || NOT_IN_TRANSACTION.test(sql)) return false;
    return !this.prepare(sql).readonly;
  }

  #keepLog(): void {
    this.exec("pragma wal_autocheckpoint = 0");
    this.#connection.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  }

  #runTransaction<T>(work: () => T): T {
    const name = `level_${this.#depth}`;
    const outer = this.#depth === 0;
    const registered = this.#afterCommit.length;
    if (outer && this.#refusal) throw this.#refusal();
    if (outer) this.#runMeasured("Lock", "begin immediate");
    else this.run(`savepoint ${name}`);
    this.#depth++;
    try {
      if (outer) this.#commitHook?.onBegin();
      const result = work();
      if (result instanceof Promise) throw new Error("a transaction must be synchronous");
      if (outer) {
        this.#commitHook?.beforeCommit();
        this.#commit();
        this.#commitHook?.onCommit();
      } else this.run(`release ${name}`);
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
      this.#timed(sql, () => this.prepare(sql).run());
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

  /**
   * Moves the content of the write-ahead log into the file. `passive` moves what no snapshot of an older content
   * prevents; `full` waits for such snapshots, and `truncate` for all, to empty the log.
   * @returns true when the file then has the content of all commits, and for `truncate` the log is empty
   */
  checkpoint(mode: CheckpointMode, { waitMs = 0 }: { waitMs?: number } = {}): boolean {
    const { timeout } = this.get<{ timeout: number }>("pragma busy_timeout") ?? { timeout: 0 };
    this.exec(`pragma busy_timeout = ${waitMs}`);
    try {
      const result = this.get<CheckpointResult>(`pragma wal_checkpoint(${mode})`);
      return result?.busy === 0 && result.log === result.checkpointed;
    } finally {
      this.exec(`pragma busy_timeout = ${timeout}`);
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

/** `log` and `checkpointed` are numbers of frames; -1 without a log. */
interface CheckpointResult {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

const inodeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.ino ?? null;

const connect = (path: string, { readonly = false, immutable = false, create = false }: OpenOptions): BunDatabase =>
  withTranslatedErrors(() =>
    immutable
      ? new BunDatabase(`${pathToFileURL(path).href}?immutable=1`, IMMUTABLE_FLAGS)
      : new BunDatabase(path, readonly ? { readonly: true } : { readwrite: true, create }),
  );

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
