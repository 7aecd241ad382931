import { AppError, invalid } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import type { Log } from "../lib/log.ts";
import { PROGRAM } from "../lib/program.ts";
import { systemTimers } from "../lib/timers.ts";
import { Child, type ChildOptions } from "./child.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Job } from "./job.ts";
import type { AnswerLimits } from "./render.ts";

export type { Argument } from "./job.ts";

/** The hidden command that runs queries; `main.ts` knows it too. */
const RUNNER_COMMAND = "sql-runner";

export interface PoolOptions extends AnswerLimits {
  /** How many processes run queries; at least 1. */
  readonly workers: number;
  /** What a query may take, and takes when nothing is said. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** How long a process without work is kept, in milliseconds; five minutes when left out. */
  readonly idleMs?: number;
  /** For tests: other limits, another program. */
  readonly child?: Partial<ChildOptions>;
}

/** A query, as the pool takes it. */
export interface Query extends Pick<Job, "path" | "statement" | "args"> {
  /** Whose turn it takes: the document's UUID. */
  readonly document: string;
  /** 0 for all that is allowed, which is also the most. */
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

const IDLE_MS = 5 * 60_000;

/** Queries of one document that may wait, and of all. */
const MOST_WAITING = { mostPerKey: 16, most: 256 } as const;

interface Waiting {
  readonly query: Query;
  /** What runs it, while it is run. */
  child?: Child | undefined;
  resolve(answer: Uint8Array | null): void;
  reject(error: unknown): void;
}

/**
 * A few processes that run queries, started when they are needed and kept while they are. Each runs one query at a
 * time; one that ends at work is replaced. Documents take turns, and none has all processes at the same time where
 * there are several.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #queue: FairQueue<Waiting>;
  readonly #children = new Set<Child>();
  /** What ends them when nothing comes, by process. The last to be here is the first to get work. */
  readonly #idle = new Map<Child, () => void>();
  readonly #starting = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ ...MOST_WAITING, mostRunningPerKey: Math.max(1, options.workers - 1) });
  }

  /** The processes there are, for tests. */
  get pids(): number[] {
    return [...this.#children].map(({ pid }) => pid);
  }

  /** How much there is to do: processes by what they do, queries that wait for one. */
  load(): { busy: number; idle: number; waiting: number } {
    const idle = this.#idle.size;
    return { busy: this.#children.size - idle, idle, waiting: this.#queue.size };
  }

  /**
   * Runs a query when its turn comes; only then its time begins. When its signal is aborted it ends, or is not begun.
   * @returns the answer as JSON; null when the document is not open
   * @throws AppError `invalid` for what is wrong with the statement or takes too much; `tooMany`, `unavailable`
   */
  async run(query: Query): Promise<Uint8Array | null> {
    if (this.#isClosed) throw closing();
    const { document, signal } = query;
    if (signal?.aborted) throw left();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
    const waiting: Waiting = { query, resolve, reject };
    const place = this.#queue.push(document, waiting);
    if (place === "key is full") {
      throw new AppError("limit.document_requests", "Too many queries of this document are waiting", {
        retryAfterS: 1,
      });
    }
    if (place === "all is full") {
      throw new AppError("server.overloaded", "Too many queries are waiting, try again", { retryAfterS: 1 });
    }
    const leave = guarded(() => {
      if (this.#queue.remove(document, waiting)) reject(left());
      else waiting.child?.stop(left());
    });
    signal?.addEventListener("abort", leave, { once: true });
    this.#dispatch();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Ends all processes; what waits or runs is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuseWaiting(closing());
    const ended = [...this.#children].map((child) => child.ended);
    for (const child of this.#children) child[Symbol.dispose]();
    await Promise.all([...ended, ...this.#starting]);
  }

  #dispatch(): void {
    for (const child of [...this.#idle.keys()].toReversed()) {
      const next = this.#queue.take();
      if (!next) return;
      this.#takeFromIdle(child);
      void this.#runOn(child, next.key, next.item);
    }
    const wanted = Math.min(this.#queue.size, this.#options.workers - this.#children.size) - this.#starting.size;
    for (let i = 0; i < wanted; i++) this.#start();
  }

  async #runOn(child: Child, key: string, waiting: Waiting): Promise<void> {
    const { query, resolve, reject } = waiting;
    const { path, statement, args } = query;
    const { maxRows, maxBytes, timeoutMs: most } = this.#options;
    const timeoutMs = Math.min(most, query.timeoutMs || most);
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
    this.#options.log.debug("query", { document: key, pid: child.pid, ms, isKept: child.isUsable });
    this.#queue.done(key);
    if (child.isUsable) this.#rest(child);
    else this.#replace(child);
    this.#dispatch();
  }

  #start(): void {
    const starting = this.#startOne().finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  /** Starts one more process. When that fails and there is no other, nobody waits any longer. */
  async #startOne(): Promise<void> {
    let child: Child;
    try {
      child = await Child.start({ command: [...PROGRAM, RUNNER_COMMAND], ...this.#options.child });
    } catch (error) {
      this.#options.log.error("sql-start-failed", { error: String(error) });
      if (this.#children.size > 0) return;
      this.#refuseWaiting(new AppError("unavailable", "Queries cannot be run just now", { retryAfterS: 5 }));
      return;
    }
    this.#children.add(child);
    this.#rest(child);
    const ended = child.ended.then(() => this.#forget(child));
    if (this.#isClosed) {
      child[Symbol.dispose]();
      await ended;
    } else this.#dispatch();
  }

  /** Keeps a process for the next query, for a while. */
  #rest(child: Child): void {
    this.#idle.set(
      child,
      systemTimers.after(this.#options.idleMs ?? IDLE_MS, () => this.#end(child)),
    );
  }

  #takeFromIdle(child: Child): void {
    this.#idle.get(child)?.();
    this.#idle.delete(child);
  }

  /** Ends a process that is of no use any more, and has another one ready for the next query. */
  #replace(child: Child): void {
    this.#end(child);
    if (!this.#isClosed && this.#children.size + this.#starting.size < this.#options.workers) this.#start();
  }

  #end(child: Child): void {
    this.#forget(child);
    child[Symbol.dispose]();
  }

  #forget(child: Child): void {
    this.#children.delete(child);
    this.#takeFromIdle(child);
  }

  #refuseWaiting(error: AppError): void {
    for (const { reject } of this.#queue.clear()) reject(error);
  }
}

/** Hardly ever read by anybody. */
const left = () => invalid("The query was stopped, since nobody waits for its answer any more");

const closing = () => new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });
