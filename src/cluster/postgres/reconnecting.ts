import { AppError } from "../../errors.ts";
import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import type { Connection, RunOptions } from "./connection.ts";
import { LOG_REFUSALS, logUnavailable } from "./refusals.ts";

/** Delay of the first attempt to reconnect; doubled after each failure. */
const FIRST_DELAY_MS = 50;
/** Service resumes within 2 s after PostgreSQL is back: reconnecting, registering and acquiring follow each other. */
const MAX_DELAY_MS = 250;

export interface ReconnectingOptions {
  /** Opens a connection and calls `onClosed` when it has ended. */
  readonly open: (onClosed: () => void) => Promise<Connection>;
  /** Called with every new connection before anything else uses it. */
  readonly onConnected?: (connection: Connection) => Promise<void>;
  readonly timers?: Timers;
}

/**
 * A connection that is replaced when it ends: in the background with exponential backoff, so that callers get an answer
 * at once, and service resumes without a request that waits. Opens on first use.
 */
export class ReconnectingConnection implements AsyncDisposable {
  readonly #options: ReconnectingOptions;
  readonly #timers: Timers;
  #current: Connection | null = null;
  #attempt: Promise<Connection> | null = null;
  #problem: AppError | null = null;
  #delayMs = FIRST_DELAY_MS;
  #cancelRetry: (() => void) | null = null;
  #isClosed = false;

  constructor(options: ReconnectingOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  /** True while a connection is open. */
  get isOpen(): boolean {
    return this.#current?.isOpen === true;
  }

  /**
   * Returns the open connection, or waits for the attempt in progress.
   * @throws AppError if PostgreSQL could not be reached at the last attempt: the next one is in the background
   */
  async get(): Promise<Connection> {
    if (this.#current?.isOpen) return this.#current;
    if (this.#isClosed) throw logUnavailable(LOG_REFUSALS.closed());
    if (this.#problem) throw this.#problem;
    return this.#connect();
  }

  /** Closes the connection after the statement in progress, or at the deadline, and stops reconnecting. Idempotent. */
  async close(options: RunOptions = {}): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    await this.#attempt?.catch(() => {});
    await this.#current?.close(options);
    this.#current = null;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #connect(): Promise<Connection> {
    this.#attempt ??= this.#open().finally(() => {
      this.#attempt = null;
    });
    return this.#attempt;
  }

  async #open(): Promise<Connection> {
    try {
      const connection = await this.#options.open(() => this.#handleClosed());
      await this.#options.onConnected?.(connection);
      this.#current = connection;
      this.#problem = null;
      this.#delayMs = FIRST_DELAY_MS;
      return connection;
    } catch (error) {
      this.#problem = error instanceof AppError ? error : logUnavailable((error as Error).message, { cause: error });
      this.#retryLater();
      throw this.#problem;
    }
  }

  #handleClosed(): void {
    this.#current = null;
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed || this.#cancelRetry) return;
    this.#cancelRetry = this.#timers.after(this.#delayMs, async () => {
      this.#cancelRetry = null;
      if (this.isOpen || this.#isClosed) return;
      // A failure is kept for callers and schedules the next attempt.
      await this.#connect().catch(() => {});
    });
    this.#delayMs = Math.min(this.#delayMs * 2, MAX_DELAY_MS);
  }
}
