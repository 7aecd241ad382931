import { AppError, invalid } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import type { Log } from "../lib/observability/log.ts";
import { PROGRAM } from "../lib/program.ts";
import { systemTimers } from "../lib/time/timers.ts";
import { QueryProcess, type QueryProcessOptions } from "./query-process.ts";
import { FairQueue } from "./fair-queue.ts";
import type { QueryJob } from "./query-job.ts";
import type { ResultLimits } from "./render-rows.ts";

export type { Argument } from "./query-job.ts";

/** The hidden command that runs queries; `main.ts` knows it too. */
const RUNNER_COMMAND = "sql-runner";

export interface QueryPoolOptions extends ResultLimits {
  /** How many processes run queries; at least 1. */
  readonly maxProcesses: number;
  /** What a query may take, and takes when nothing is said. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** How long a process without work is kept, in milliseconds; five minutes when left out. */
  readonly idleMs?: number;
  /** For tests: other limits, another program. */
  readonly child?: Partial<QueryProcessOptions>;
}

/** A query, as the pool takes it. */
export interface QueryRequest extends Pick<QueryJob, "path" | "statement" | "args"> {
  /** Whose turn it takes: the document's UUID. */
  readonly document: string;
  /** 0 for all that is allowed, which is also the most. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

const PROCESS_IDLE_MS = 5 * 60_000;

/** Queries of one document that may wait, and of all. */
const QUEUE_LIMITS = { maxPerKey: 16, maxTotal: 256 } as const;

interface PendingQuery {
  readonly query: QueryRequest;
  /** What runs it, while it is run. */
  child?: QueryProcess | undefined;
  resolve(answer: Uint8Array | null): void;
  reject(error: unknown): void;
}

/**
 * A few processes that run queries, started when they are needed and kept while they are. Each runs one query at a
 * time; one that ends at work is replaced. Documents take turns, and none has all processes at the same time where
 * there are several.
 */
export class QueryPool {
  readonly #options: QueryPoolOptions;
  readonly #queue: FairQueue<PendingQuery>;
  readonly #processes = new Set<QueryProcess>();
  /** What ends them when nothing comes, by process. The last to be here is the first to get work. */
  readonly #idle = new Map<QueryProcess, () => void>();
  readonly #starting = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: QueryPoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ ...QUEUE_LIMITS, maxRunningPerKey: Math.max(1, options.maxProcesses - 1) });
  }

  /** The processes there are, for tests. */
  get pids(): number[] {
    return [...this.#processes].map(({ pid }) => pid);
  }

  /** How much there is to do: processes by what they do, queries that wait for one. */
  load(): { busy: number; idle: number; waiting: number } {
    const idle = this.#idle.size;
    return { busy: this.#processes.size - idle, idle, waiting: this.#queue.size };
  }

  /**
   * Runs a query when its turn comes; only then its time begins. When its signal is aborted it ends, or is not begun.
   * @returns the answer as JSON; null when the document is not open
   * @throws AppError `invalid` for what is wrong with the statement or takes too much; `tooMany`, `unavailable`
   */
  async run(query: QueryRequest): Promise<Uint8Array | null> {
    if (this.#isClosed) throw shuttingDown();
    const { document, signal } = query;
    if (signal?.aborted) throw queryAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    const pending: PendingQuery = { query, resolve, reject };
    const queued = this.#queue.push(document, pending);
    if (queued === "key is full") {
      throw new AppError("limit.document_requests", "Too many queries of this document are waiting", {
        retryAfterS: 1,
      });
    }
    if (queued === "all is full") {
      throw new AppError("server.overloaded", "Too many queries are waiting, try again", { retryAfterS: 1 });
    }
    const onAbort = guarded(() => {
      if (this.#queue.remove(document, pending)) reject(queryAborted());
      else pending.child?.stop(queryAborted());
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#dispatch();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends all processes; what waits or runs is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuseWaiting(shuttingDown());
    const ended = [...this.#processes].map((child) => child.ended);
    for (const child of this.#processes) child[Symbol.dispose]();
    await Promise.all([...ended, ...this.#starting]);
  }

  #dispatch(): void {
    for (const child of [...this.#idle.keys()].toReversed()) {
      const next = this.#queue.dequeue();
      if (!next) return;
      this.#removeFromIdle(child);
      void this.#runOn(child, next.key, next.item);
    }
    const toStart = Math.min(this.#queue.size, this.#options.maxProcesses - this.#processes.size) - this.#starting.size;
    for (let i = 0; i < toStart; i++) this.#start();
  }

  async #runOn(child: QueryProcess, key: string, waiting: PendingQuery): Promise<void> {
    const { query, resolve, reject } = waiting;
    const { path, statement, args } = query;
    const { maxRows, maxBytes, timeoutMs: maxTimeoutMs } = this.#options;
    const timeoutMs = Math.min(maxTimeoutMs, query.timeoutMs || maxTimeoutMs);
    const start = performance.now();
    waiting.child = child;
    try {
      resolve(await child.run({ path, statement, args, timeoutMs, maxRows, maxBytes }));
    } catch (error) {
      reject(error);
    }
    // What the process runs next is none of this one's business.
    waiting.child = undefined;
    const ms = Math.round(performance.now() - start);
    this.#options.log.debug("sql.query", { document: key, pid: child.pid, ms, isKept: child.isUsable });
    this.#queue.done(key);
    if (child.isUsable) this.#keepIdle(child);
    else this.#replace(child);
    this.#dispatch();
  }

  #start(): void {
    const starting = this.#startOne().finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  /** Starts one more process. When that fails and there is no other, nobody waits any longer. */
  async #startOne(): Promise<void> {
    let child: QueryProcess;
    try {
      child = await QueryProcess.start({ command: [...PROGRAM, RUNNER_COMMAND], ...this.#options.child });
    } catch (error) {
      this.#options.log.error("sql.process_start_failed", { error: String(error) });
      if (this.#processes.size > 0) return;
      this.#refuseWaiting(new AppError("unavailable", "Queries cannot be run just now", { retryAfterS: 5 }));
      return;
    }
    this.#processes.add(child);
    this.#keepIdle(child);
    const ended = child.ended.then(() => this.#removeProcess(child));
    if (this.#isClosed) {
      child[Symbol.dispose]();
      await ended;
    } else this.#dispatch();
  }

  /** Keeps a process for the next query, for a while. */
  #keepIdle(child: QueryProcess): void {
    this.#idle.set(
      child,
      systemTimers.after(this.#options.idleMs ?? PROCESS_IDLE_MS, () => this.#end(child)),
    );
  }

  #removeFromIdle(child: QueryProcess): void {
    this.#idle.get(child)?.();
    this.#idle.delete(child);
  }

  /** Ends a process that is of no use any more, and has another one ready for the next query. */
  #replace(child: QueryProcess): void {
    this.#end(child);
    if (!this.#isClosed && this.#processes.size + this.#starting.size < this.#options.maxProcesses) this.#start();
  }

  #end(child: QueryProcess): void {
    this.#removeProcess(child);
    child[Symbol.dispose]();
  }

  #removeProcess(child: QueryProcess): void {
    this.#processes.delete(child);
    this.#removeFromIdle(child);
  }

  #refuseWaiting(error: AppError): void {
    for (const { reject } of this.#queue.clear()) reject(error);
  }
}

/** Hardly ever read by anybody. */
const queryAborted = () => invalid("The query was stopped, since nobody waits for its answer any more");

const shuttingDown = () => new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
