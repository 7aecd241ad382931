import { AppError, invalid } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import type { Log } from "../lib/observability/log.ts";
import { PROGRAM } from "../lib/program.ts";
import type { TemporarySpace } from "../lib/temporary-space.ts";
import { systemTimers } from "../lib/time/timers.ts";
import { QueryNotStarted, QueryProcess, type QueryProcessOptions } from "./query-process.ts";
import { FairQueue } from "./fair-queue.ts";
import type { QueryJob } from "./query-job.ts";
import type { ResultLimits } from "./render-rows.ts";

export type { Argument } from "./query-job.ts";

/** The hidden command that runs queries; `main.ts` has the same name. */
const RUNNER_COMMAND = "sql-runner";

export interface QueryPoolOptions extends ResultLimits {
  /** Maximum number of query processes; at least 1. */
  readonly maxProcesses: number;
  /** Default and maximum time limit of a query. */
  readonly timeoutMs: number;
  /** Limits the size of temporary files. */
  readonly temporary?: TemporarySpace | undefined;
  readonly log: Log;
  /** Idle time in milliseconds after which a process ends; five minutes if omitted. */
  readonly idleMs?: number;
  /** For tests: other limits, another program. */
  readonly child?: Partial<QueryProcessOptions>;
}

/** A query, as passed to the pool. */
export interface QueryRequest extends Pick<QueryJob, "path" | "isUnchanging" | "statement" | "args" | "withColumns"> {
  /** The document's UUID, as the key for fair scheduling. */
  readonly document: string;
  /** 0 for the maximum, which also limits larger values. */
  readonly timeoutMs: number;
  /** Aborted when the client has disconnected. */
  readonly signal?: AbortSignal | undefined;
}

const PROCESS_IDLE_MS = 5 * 60_000;

/** Maximum number of queued queries, per document and in total. */
const QUEUE_LIMITS = { maxPerKey: 16, maxTotal: 256 } as const;

/**
 * Small queries of one document are sent to its process ahead of time, so that neither side waits for the other: up to
 * this number, while the current query runs for less than this time.
 */
const MAX_SENT = 4;
const MAX_BUSY_MS = 3;

interface PendingQuery {
  readonly query: QueryRequest;
  /** The process that it was sent to, if any. */
  child?: QueryProcess | undefined;
  job?: QueryJob;
  isAborted: boolean;
  resolve(answer: Uint8Array | null): void;
  reject(error: unknown): void;
}

/**
 * A pool of processes that run queries, started on demand and reused. Each runs one query at a time; a process that
 * dies during a query is replaced. Documents are served round-robin, and none uses all processes at the same time if
 * there are several.
 */
export class QueryPool {
  readonly #options: QueryPoolOptions;
  readonly #queue: FairQueue<PendingQuery>;
  readonly #processes = new Set<QueryProcess>();
  /** The documents of the processes that are not idle. */
  readonly #busy = new Map<QueryProcess, string>();
  /** Idle processes with the function that cancels their idle timer. The last one added gets work first. */
  readonly #idle = new Map<QueryProcess, () => void>();
  readonly #starting = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: QueryPoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ ...QUEUE_LIMITS, maxRunningPerKey: Math.max(1, options.maxProcesses - 1) });
  }

  /** The ids of the running processes, for tests. */
  get pids(): number[] {
    return [...this.#processes].map(({ pid }) => pid);
  }

  /** Returns the current load: busy and idle processes, and queued queries. */
  load(): { busy: number; idle: number; waiting: number } {
    const idle = this.#idle.size;
    let waiting = this.#queue.size;
    for (const child of this.#busy.keys()) waiting += Math.max(0, child.pending - 1);
    return { busy: this.#processes.size - idle, idle, waiting };
  }

  /**
   * Runs a query when its turn comes; only then its time limit starts. Aborting the signal stops the query, or removes
   * it from the queue.
   * @returns the answer as JSON; null when the document is not open
   * @throws AppError `invalid` for an invalid statement or an exceeded limit; `tooMany`, `unavailable`
   */
  async run(query: QueryRequest): Promise<Uint8Array | null> {
    if (this.#isClosed) throw shuttingDown();
    const { document, signal } = query;
    if (signal?.aborted) throw queryAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    const pending: PendingQuery = { query, isAborted: false, resolve, reject };
    const queued = this.#queue.push(document, pending);
    if (queued === "keyFull") {
      throw new AppError("limit.document_requests", "Too many queries of this document are waiting", {
        retryAfterS: 1,
      });
    }
    if (queued === "full") {
      throw new AppError("server.overloaded", "Too many queries are waiting, try again", { retryAfterS: 1 });
    }
    const onAbort = guarded(() => {
      pending.isAborted = true;
      const { child, job } = pending;
      if (!child || !job || !child.isRunning(job)) {
        this.#queue.remove(document, pending);
        reject(queryAborted());
      } else child.stop(queryAborted());
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#dispatch();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends all processes and rejects all queries. */
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
      if (!next) break;
      this.#removeFromIdle(child);
      this.#busy.set(child, next.key);
      void this.#runOn(child, next.key, next.item);
    }
    if (this.#queue.size === 0) return;
    for (const [child, key] of this.#busy) this.#sendMore(child, key);
    const toStart = Math.min(this.#queue.size, this.#options.maxProcesses - this.#processes.size) - this.#starting.size;
    for (let i = 0; i < toStart; i++) this.#start();
  }

  /** Sends queries ahead of time to the process that runs small queries of their document. */
  #sendMore(child: QueryProcess, key: string): void {
    while (child.isUsable && child.pending < MAX_SENT && child.busyMs < MAX_BUSY_MS) {
      const item = this.#queue.dequeueMore(key);
      if (!item) return;
      void this.#runOn(child, key, item);
    }
  }

  async #runOn(child: QueryProcess, key: string, waiting: PendingQuery): Promise<void> {
    const { query, resolve, reject } = waiting;
    const { path, isUnchanging, statement, args, withColumns } = query;
    const { maxRows, maxBytes, timeoutMs: maxTimeoutMs } = this.#options;
    const timeoutMs = Math.min(maxTimeoutMs, query.timeoutMs || maxTimeoutMs);
    const start = performance.now();
    const job = { path, isUnchanging, statement, args, withColumns, timeoutMs, maxRows, maxBytes };
    waiting.child = child;
    waiting.job = job;
    try {
      resolve(await child.run(job));
    } catch (error) {
      if (!(error instanceof QueryNotStarted)) reject(error);
      else if (this.#isClosed) reject(shuttingDown());
      else if (!waiting.isAborted) this.#queue.putBack(key, waiting);
    }
    // Aborting this query must not stop the process's next one.
    waiting.child = undefined;
    const { log } = this.#options;
    if (log.isEnabled("debug")) {
      const ms = Math.round(performance.now() - start);
      log.debug("sql.query", { document: key, pid: child.pid, ms, isKept: child.isUsable });
    }
    if (child.pending > 0) this.#sendMore(child, key);
    else if (this.#busy.delete(child)) {
      this.#queue.done(key);
      if (child.isUsable) this.#keepIdle(child);
      else this.#replace(child);
    }
    this.#dispatch();
  }

  #start(): void {
    const starting = this.#startOne().finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  /** Starts another process. If that fails and no other process is running, queued queries are rejected. */
  async #startOne(): Promise<void> {
    let child: QueryProcess;
    try {
      child = await QueryProcess.start({
        command: [...PROGRAM, RUNNER_COMMAND],
        temporary: this.#options.temporary,
        ...this.#options.child,
      });
    } catch (error) {
      this.#options.log.error("sql.process_start_failed", { error: String(error) });
      if (this.#processes.size > 0) return;
      this.#refuseWaiting(new AppError("unavailable", "Queries cannot be run at the moment", { retryAfterS: 5 }));
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

  /** Keeps an idle process for the next query. */
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

  /** Ends an unusable process, and starts another one for the next query. */
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

/** Rarely seen: the client has usually disconnected. */
const queryAborted = () => invalid("The query was cancelled because the client disconnected");

const shuttingDown = () => new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
