import { type DatabaseIdentity, LEASE_MS } from "../../src/cluster/protocol/log-types.ts";
import type { Content, Change } from "./content.ts";
import type { Scheduler } from "./scheduler.ts";

/** Rows of the tables, by key. Rows are immutable: a change replaces them. */
export interface Tables {
  [key: `node ${string}`]: { readonly leaseUntilMs: number } | undefined;
  [key: `owner ${string}`]: OwnerRow | undefined;
  [key: `log ${string}`]: LogRow | undefined;
  [key: `base ${string}`]: BaseRow | undefined;
  /** Whether the chunk exists. */
  [key: `chunk ${string}`]: true | undefined;
  [key: `blob ${string}`]: true | undefined;
  installation: { readonly settled: DatabaseIdentity | null } | undefined;
}

export interface OwnerRow {
  readonly epoch: number;
  readonly node: string | null;
  readonly head: number;
  readonly baseSeq: number;
  readonly baseRef: string | null;
  readonly createdAtMs: number;
  /** Refs of all bases whose chunks may exist, in the order in which they were begun. */
  readonly bases: readonly string[];
}

export interface LogRow {
  readonly epoch: number;
  readonly node: string;
  readonly seq: number;
  readonly contentEpoch: string;
  readonly change: Change;
  readonly previousChecksum: string;
  readonly checksum: string;
  /** For the checker: the owner's content after the commit. */
  readonly content: Content;
}

export interface BaseRow {
  readonly document: string;
  readonly seq: number;
  readonly checksum: string;
  readonly contentEpoch: string;
  readonly content: Content;
  /** Null until `pointBase`. */
  readonly publishedAtMs: number | null;
}

export type Key = keyof Tables;
type Value = Tables[Key];

/** A transaction waits for a row lock or for time to pass, `roundTrip` with its client in between. */
export type Wait = { readonly lock: Key } | { readonly delayMs: number } | { readonly roundTripMs: number };
export type Body<Result> = (transaction: Transaction) => Iterator<Wait, Result>;

/** A transaction of one statement that waits for no lock. */
export const atOnce =
  <Result>(run: (transaction: Transaction) => Result): Body<Result> =>
  (transaction) => ({ next: () => ({ done: true, value: run(transaction) }) });

/** Read committed: reads see the last commits and the own changes. */
export class Transaction {
  readonly changes = new Map<Key, Value>();
  readonly locks: Key[] = [];
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** `clock_timestamp()`. */
  get clockMs(): number {
    return this.#database.scheduler.nowMs;
  }

  get<K extends Key>(key: K): Tables[K] {
    return (this.changes.has(key) ? this.changes.get(key) : this.#database.get(key)) as Tables[K];
  }

  put<K extends Key>(key: K, value: Tables[K]): void {
    this.changes.set(key, value);
  }
}

export class DatabaseError extends Error {}

interface Running {
  readonly transaction: Transaction;
  readonly steps: Iterator<Wait, unknown>;
  readonly isConnected: () => "yes" | "paused" | "no";
  readonly done: (result: unknown) => void;
  isAborted: boolean;
}

/** PostgreSQL in memory: one primary, with standbys that lag behind by a few commits. */
export class Database {
  readonly scheduler: Scheduler;
  identity: DatabaseIdentity = { systemIdentifier: "1", timeline: 1, historyId: "h" };
  /** Renewed by a failover: connections to an earlier one are broken. */
  incarnation = 1;
  isUp = true;
  /** Until then commits may take seconds. */
  slowUntilMs = 0;
  /** Until then transactions may wait for seconds between their statements. */
  stalledUntilMs = 0;
  /** Called after each commit with the changed keys. */
  onCommit: (keys: readonly Key[]) => void = () => undefined;
  readonly #rows = new Map<Key, Value>();
  readonly #locks = new Map<Key, { holder: Running; waiting: Running[] }>();
  readonly #running = new Set<Running>();
  /** The rows before each of the last commits. */
  #undo: (readonly (readonly [Key, Value])[])[] = [];

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  get<K extends Key>(key: K): Tables[K] {
    return this.#rows.get(key) as Tables[K];
  }

  /**
   * Runs a transaction. `done` is called after the commit, never after a rollback.
   *
   * @param isConnected Asked when the transaction needs its client.
   */
  run<Result>(body: Body<Result>, isConnected: () => "yes" | "paused" | "no", done: (result: Result) => void): void {
    const transaction = new Transaction(this);
    const running: Running = {
      transaction,
      steps: body(transaction),
      isConnected,
      done: done as (result: unknown) => void,
      isAborted: false,
    };
    this.#running.add(running);
    this.#proceed(running);
  }

  /** Stores a row that no failover loses. */
  initialize<K extends Key>(key: K, value: Tables[K]): void {
    this.#rows.set(key, value);
  }

  /** Fails over to a standby that lacks the last commits. */
  failOver(lostCommits: number, downMs: number): number {
    const { identity } = this;
    for (const running of this.#running) running.isAborted = true;
    this.#running.clear();
    this.#locks.clear();
    const lost = this.#undo.splice(Math.max(0, this.#undo.length - lostCommits));
    for (const commit of lost.toReversed()) for (const [key, value] of commit) this.#set(key, value);
    this.identity = { ...identity, timeline: identity.timeline + 1 };
    this.incarnation++;
    this.isUp = false;
    const { incarnation } = this;
    this.scheduler.after(downMs, () => {
      if (this.incarnation === incarnation) this.isUp = true;
    });
    return lost.length;
  }

  #proceed(running: Running): void {
    if (running.isAborted) return;
    const { value, done } = running.steps.next();
    if (done) return this.#commit(running, value);
    if ("lock" in value) return this.#lock(running, value.lock);
    const delayMs = "delayMs" in value ? value.delayMs : value.roundTripMs;
    this.scheduler.after(delayMs, () =>
      "delayMs" in value ? this.#proceed(running) : this.#proceedWithClient(running),
    );
  }

  #proceedWithClient(running: Running): void {
    if (running.isAborted) return;
    const state = running.isConnected();
    if (state === "yes") this.#proceed(running);
    else if (state === "no") this.#end(running);
    else this.scheduler.after(100, () => this.#proceedWithClient(running));
  }

  #lock(running: Running, key: Key): void {
    const lock = this.#locks.get(key);
    if (lock && lock.holder !== running) {
      lock.waiting.push(running);
      return;
    }
    if (!lock) {
      this.#locks.set(key, { holder: running, waiting: [] });
      running.transaction.locks.push(key);
    }
    this.#proceed(running);
  }

  /** The locks are held until the commit is durable, which takes a while; then the changes are visible. */
  #commit(running: Running, result: unknown): void {
    if (running.transaction.changes.size === 0) {
      this.#end(running);
      return running.done(result);
    }
    const { random, nowMs } = this.scheduler;
    const isSlow = nowMs < this.slowUntilMs && random.chance(0.5);
    if (!isSlow && random.chance(0.6)) return this.#store(running, result);
    this.scheduler.after(isSlow ? random.next() * LEASE_MS : random.next() * 2, () => {
      if (!running.isAborted) this.#store(running, result);
    });
  }

  #store(running: Running, result: unknown): void {
    const { changes } = running.transaction;
    const keys = [...changes.keys()];
    this.#undo.push(keys.map((key) => [key, this.#rows.get(key)]));
    if (this.#undo.length > 200) this.#undo = this.#undo.slice(-100);
    for (const [key, value] of changes) this.#set(key, value);
    this.#end(running);
    this.onCommit(keys);
    running.done(result);
  }

  #end(running: Running): void {
    this.#running.delete(running);
    for (const key of running.transaction.locks) {
      const lock = this.#locks.get(key);
      let next = lock?.waiting.shift();
      while (next?.isAborted) next = lock?.waiting.shift();
      if (!lock || !next) {
        this.#locks.delete(key);
        continue;
      }
      lock.holder = next;
      next.transaction.locks.push(key);
      const granted = next;
      this.scheduler.after(0, () => this.#proceed(granted));
    }
  }

  #set(key: Key, value: Value): void {
    if (value === undefined) this.#rows.delete(key);
    else this.#rows.set(key, value);
  }
}
