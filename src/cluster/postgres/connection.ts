import type { Client, QueryResult } from "pg";
import { guarded } from "../../lib/callbacks.ts";
import { Mutex } from "../../lib/concurrency/mutex.ts";
import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { executeMessage, type Fields, FieldsQuery } from "./fields-query.ts";
import { ConnectionLostError, translateDriverError } from "./failures.ts";

/** Types of bound values. Bytes are sent in binary form. */
export type BoundValue = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];

/** A statement. `Row` is the type of its rows; its column names are those of the statement. */
export interface Statement<Row = unknown> {
  /** Identifies a prepared statement on a connection, where it is prepared at its first use. Empty: not prepared. */
  readonly name: string;
  readonly text: string;
  readonly row?: Row;
}

/** Defines a prepared statement. */
export const statement = <Row = never>(name: string, text: string): Statement<Row> => ({ name: `quern_${name}`, text });

/** Defines a statement that is parsed each time. Works through any pooler, so that one can be detected. */
export const unpreparedStatement = <Row = never>(text: string): Statement<Row> => ({ name: "", text });

export interface StatementResult<Row> {
  readonly rows: readonly Row[];
  /** Number of rows that were returned or changed. */
  readonly count: number;
  /**
   * Warnings that PostgreSQL sent during the statement. For a change they mean that its outcome is unknown: PostgreSQL
   * warns when it commits without waiting for its synchronous standby.
   */
  readonly warnings: readonly string[];
}

export interface RunOptions {
  /** When to close the connection, which ends the statement with `ConnectionLostError`. By default it may take forever. */
  readonly deadlineMs?: number;
}

/** Runs statements one after the other: a connection, or a transaction on one. */
export interface Session {
  /**
   * @throws StatementError if PostgreSQL answers with an error, ConnectionLostError if the connection ends before an
   * answer. After both, a change may have happened.
   */
  run<Row>(
    statement: Statement<Row>,
    values?: readonly BoundValue[],
    options?: RunOptions,
  ): Promise<StatementResult<Row>>;
}

export type Isolation = "read committed" | "repeatable read read only";

export interface ConnectionOptions {
  readonly timers?: Timers;
  /** Called once when the connection has ended, for whatever reason. */
  readonly onClosed?: (connection: Connection) => void;
}

/** Bounds the memory of waiting statements. */
const MAX_PENDING = 10_000;

/**
 * One connection to PostgreSQL, with one statement or transaction at a time. Statements are never cancelled: a cancelled
 * wait for a synchronous standby commits all the same. A deadline closes the connection instead.
 */
export class Connection implements Session, AsyncDisposable {
  readonly #client: Client;
  readonly #timers: Timers;
  readonly #mutex = new Mutex(MAX_PENDING);
  readonly #onClosed: ((connection: Connection) => void) | undefined;
  #warnings: string[] = [];
  /** The messages that execute statements of `readFields`, by name. */
  readonly #executeMessages = new Map<string, Uint8Array>();
  #closed: ConnectionLostError | null = null;
  #listeners: ((channel: string, payload: string) => void)[] = [];

  /** @param client connected */
  constructor(client: Client, { timers = systemTimers, onClosed }: ConnectionOptions = {}) {
    this.#client = client;
    this.#timers = timers;
    this.#onClosed = onClosed;
    client.on(
      "notice",
      guarded(({ severity, message = "" }) => {
        if (severity === "WARNING") this.#warnings.push(message);
      }),
    );
    client.on(
      "notification",
      guarded(({ channel, payload = "" }) => {
        for (const listener of this.#listeners) guarded(listener)(channel, payload);
      }),
    );
    client.on(
      "error",
      guarded((error) => this.#handleEnd(`The connection to PostgreSQL ended: ${error.message}`)),
    );
    client.on(
      "end",
      guarded(() => this.#handleEnd("The connection to PostgreSQL ended")),
    );
  }

  /** False once the connection has ended. */
  get isOpen(): boolean {
    return this.#closed === null;
  }

  /** The process of the connection according to the server's greeting. */
  get announcedProcessId(): number | null {
    return this.#client.processID;
  }

  run<Row>(
    statement: Statement<Row>,
    values: readonly BoundValue[] = [],
    { deadlineMs }: RunOptions = {},
  ): Promise<StatementResult<Row>> {
    return this.#withDeadline(deadlineMs, () => this.#mutex.runExclusive(() => this.#execute(statement, values)));
  }

  /**
   * Runs a prepared statement without parameters that returns at most one row, and returns its columns as text; null for
   * no row. Takes half of the processor time of `run`.
   * @throws as `run`
   */
  readFields(statement: Statement, { deadlineMs }: RunOptions = {}): Promise<Fields | null> {
    return this.#withDeadline(deadlineMs, () => this.#mutex.runExclusive(() => this.#readFields(statement)));
  }

  /**
   * Runs `work` in a transaction. Commits it when `work` returns, rolls back when it throws; a connection that cannot
   * roll back is closed.
   * @throws as `run`. An error of the commit does not say whether the transaction was committed.
   */
  transaction<T>(isolation: Isolation, work: (session: Session) => Promise<T>, options: RunOptions = {}): Promise<T> {
    const session: Session = { run: (statement, values = []) => this.#execute(statement, values) };
    return this.#withDeadline(options.deadlineMs, () =>
      this.#mutex.runExclusive(async () => {
        await this.#execute(BEGIN[isolation], []);
        try {
          const result = await work(session);
          await this.#execute(COMMIT, []);
          return result;
        } catch (error) {
          await this.#execute(ROLLBACK, []).catch(() => this.destroy("a transaction could not be rolled back"));
          throw error;
        }
      }),
    );
  }

  /** Calls `listener` for notifications of the channels that this connection listens to. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Closes the socket at once: the statement in progress ends with `ConnectionLostError`. Idempotent. */
  destroy(reason: string): void {
    this.#handleEnd(`The connection to PostgreSQL was closed: ${reason}`);
    this.#client.connection.stream.destroy();
  }

  /** Waits for the statements in progress, until the deadline, and closes the connection. Idempotent. */
  async close({ deadlineMs }: RunOptions = {}): Promise<void> {
    if (!this.isOpen) return;
    const end = async () => {
      if (!this.isOpen) return;
      this.#closed = new ConnectionLostError("The connection to PostgreSQL was closed");
      await this.#client.end().catch(() => {});
    };
    await this.#withDeadline(deadlineMs, () => this.#mutex.runExclusive(end));
    this.#listeners = [];
    this.#onClosed?.(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #withDeadline<T>(deadlineMs: number | undefined, work: () => Promise<T>): Promise<T> {
    if (deadlineMs === undefined) return work();
    const cancel = this.#timers.after(deadlineMs, () => this.destroy(`no answer within ${deadlineMs} ms`));
    try {
      return await work();
    } finally {
      cancel();
    }
  }

  async #execute<Row>(statement: Statement<Row>, values: readonly BoundValue[]): Promise<StatementResult<Row>> {
    if (this.#closed) throw this.#closed;
    this.#warnings = [];
    let result: QueryResult<Row>;
    try {
      // A copy: the driver writes into the list.
      result = await this.#client.query<Row>({ name: statement.name, text: statement.text, values: [...values] });
    } catch (error) {
      throw this.#failure(error);
    }
    return { rows: result.rows, count: result.rowCount ?? 0, warnings: this.#warnings };
  }

  async #readFields(statement: Statement): Promise<Fields | null> {
    let message = this.#executeMessages.get(statement.name);
    if (!message) {
      // Prepares it.
      await this.#execute(statement, []);
      message = executeMessage(statement.name);
      this.#executeMessages.set(statement.name, message);
    }
    if (this.#closed) throw this.#closed;
    const query = new FieldsQuery(message);
    this.#client.query(query);
    try {
      return await query.outcome;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): Error {
    const failure = this.#closed ?? translateDriverError(error);
    // A fatal error arrives before the end of the connection.
    if (failure instanceof ConnectionLostError) this.destroy(failure.message);
    return failure;
  }

  #handleEnd(message: string): void {
    if (this.#closed) return;
    this.#closed = new ConnectionLostError(message);
    this.#listeners = [];
    this.#onClosed?.(this);
  }
}

const BEGIN: Readonly<Record<Isolation, Statement>> = {
  "read committed": unpreparedStatement("begin isolation level read committed"),
  "repeatable read read only": unpreparedStatement("begin isolation level repeatable read read only"),
};
const COMMIT = unpreparedStatement("commit");
const ROLLBACK = unpreparedStatement("rollback");
