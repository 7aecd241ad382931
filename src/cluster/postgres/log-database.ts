import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { connect } from "./connect.ts";
import type { Connection, RunOptions } from "./connection.ts";
import { Listener, type ListenerOptions } from "./listener.ts";
import { parseLogUrl, type LogUrl } from "./log-url.ts";
import { ReconnectingConnection } from "./reconnecting.ts";
import { checkNoPooler } from "./session.ts";
import { readIdentity } from "./statements/identity.ts";
import type { DatabaseIdentity } from "../protocol/log-types.ts";
import { checkRights, openTables, type OpenedTables } from "./tables.ts";

export interface LogDatabaseOptions {
  /** The id of this installation, and the history id of a log that is created. */
  readonly installation: { readonly id: string; readonly historyId: string };
  /** Connections for appends; documents are distributed over them. */
  readonly appendConnections?: number;
  readonly timers?: Timers;
  /** Called with the identity of the database that a new connection leads to, before anything else uses the connection. */
  readonly onIdentity?: (identity: DatabaseIdentity) => void;
}

/** A statement that waits for a synchronous standby could keep the server from stopping. */
const CLOSE_TIMEOUT_MS = 5000;

/** Connections for bases, attachments and opening documents, which must not delay appends. */
const BULK_CONNECTIONS = 2;

/**
 * The connections of a server to the database of its log: one for leases and ownership, so that no transfer delays a
 * renewal; one for the head of home; a few for appends, all of a document on the same one; two for bulk data. Each opens on first use and is
 * replaced when it ends.
 */
export class LogDatabase implements AsyncDisposable {
  readonly url: LogUrl;
  readonly tables: OpenedTables;
  readonly #control: ReconnectingConnection;
  readonly #heads: ReconnectingConnection;
  readonly #appends: readonly ReconnectingConnection[];
  readonly #bulk: readonly ReconnectingConnection[];
  readonly #listeners: Listener[] = [];
  readonly #timers: Timers;
  readonly #onIdentity: LogDatabaseOptions["onIdentity"];
  #nextBulk = 0;

  private constructor(
    url: LogUrl,
    tables: OpenedTables,
    { appendConnections = 4, timers = systemTimers, onIdentity }: LogDatabaseOptions,
  ) {
    this.url = url;
    this.tables = tables;
    this.#timers = timers;
    this.#onIdentity = onIdentity;
    this.#control = this.#reconnecting();
    this.#heads = this.#reconnecting();
    this.#appends = Array.from({ length: appendConnections }, () => this.#reconnecting());
    this.#bulk = Array.from({ length: BULK_CONNECTIONS }, () => this.#reconnecting());
  }

  /**
   * Checks the database and creates the tables if it has none.
   * @throws AppError with one sentence; then nothing has changed
   */
  static async open(urlText: string, options: LogDatabaseOptions): Promise<LogDatabase> {
    const url = parseLogUrl(urlText);
    const timers = options.timers ?? systemTimers;
    await using connection = await connect(url, { timers });
    await checkNoPooler(connection, () => connect(url, { timers }));
    const tables = await openTables(connection, options.installation);
    await checkRights(connection);
    return new LogDatabase(url, tables, options);
  }

  /** The connection for leases, ownership and look-ups. @throws AppError `log.unavailable` */
  control(): Promise<Connection> {
    return this.#control.get();
  }

  /** The connection for reading the head of home, which requests wait for. @throws AppError `log.unavailable` */
  heads(): Promise<Connection> {
    return this.#heads.get();
  }

  /** The connection for the appends of a document. @throws AppError `log.unavailable` */
  forDocument(doc: string): Promise<Connection> {
    const slot = Number(Bun.hash.wyhash(doc) % BigInt(this.#appends.length));
    return (this.#appends[slot] ?? this.#control).get();
  }

  /** A connection for bulk data. @throws AppError `log.unavailable` */
  bulk(): Promise<Connection> {
    this.#nextBulk = (this.#nextBulk + 1) % this.#bulk.length;
    return (this.#bulk[this.#nextBulk] ?? this.#control).get();
  }

  /** Creates a listener with a connection of its own; the caller starts it. Closed with the database. */
  createListener(options: Pick<ListenerOptions, "channels" | "onNotification" | "onListening">): Listener {
    const listener = new Listener({ ...options, open: this.#open, timers: this.#timers });
    this.#listeners.push(listener);
    return listener;
  }

  /** Closes all connections after the statements in progress, or at the deadline. Idempotent. */
  async close({ deadlineMs = CLOSE_TIMEOUT_MS }: RunOptions = {}): Promise<void> {
    const all = [...this.#listeners, this.#control, this.#heads, ...this.#appends, ...this.#bulk];
    await Promise.all(all.map((one) => one.close({ deadlineMs })));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #open = (onClosed: () => void): Promise<Connection> => connect(this.url, { onClosed, timers: this.#timers });

  #reconnecting(): ReconnectingConnection {
    const onConnected = async (connection: Connection) => {
      this.#onIdentity?.(await readIdentity(connection, { deadlineMs: this.url.connectTimeoutMs }));
    };
    return new ReconnectingConnection({ open: this.#open, onConnected, timers: this.#timers });
  }
}
