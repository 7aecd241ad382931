import type { Clock } from "../../lib/time/clock.ts";
import type { Database } from "../../sqlite/database.ts";
import type { DocAction } from "../actions/doc-action.ts";

/** What a dry run records of a change: its document actions, in order, which may still be added to. */
export interface RecordedActions {
  readonly done: readonly DocAction[];
  /** Those of `done` that write results of formulas. */
  readonly calculated: readonly DocAction[];
}

/** How long a dry run may hold the write lock, in milliseconds. */
export const DRY_RUN_MS = 2000;

/** Thrown through a change whose dry run exceeds its time. */
export class DryRunTimeout extends Error {}

/** A dry run in progress: it records the changes of a connection and limits their time. */
export class DryRun {
  readonly changes: RecordedActions[] = [];
  readonly #clock: Clock;
  readonly #endsAt: number;

  constructor(clock: Clock, maxMs: number) {
    this.#clock = clock;
    this.#endsAt = clock.elapsed() + maxMs;
  }

  /** The remaining time in milliseconds; not negative. */
  get remainingMs(): number {
    return Math.max(0, this.#endsAt - this.#clock.elapsed());
  }

  /** @throws DryRunTimeout */
  checkTime(): void {
    if (this.remainingMs === 0) throw new DryRunTimeout();
  }
}

const running = new WeakMap<Database, DryRun>();

/** Returns the dry run in progress on a connection. */
export const dryRunOf = (db: Database): DryRun | undefined => running.get(db);

/** Call it every few milliseconds while a change is applied. @throws DryRunTimeout */
export const checkDryRunTime = (db: Database): void => running.get(db)?.checkTime();

/** Runs `work` as a part of a dry run, which changes on the connection then take part in. */
export function withDryRun<T>(db: Database, dryRun: DryRun, work: () => T): T {
  running.set(db, dryRun);
  try {
    return work();
  } finally {
    running.delete(db);
  }
}
