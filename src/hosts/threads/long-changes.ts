import { systemTimers } from "../../lib/time/timers.ts";
import type { DocumentWorker } from "./document-worker.ts";

/** Time after which a change counts as long. Most changes, and small parts of a load, are shorter. */
const LONG_MS = 50;
/** Interval for checking the workers while any of them runs changes. */
const CHECK_INTERVAL_MS = 25;

/** Reports long changes while they run, so that reads beside them can be prepared. */
export class LongChangeWatch {
  readonly #workers: () => Iterable<DocumentWorker>;
  readonly #onLongChange: () => void;
  #isRunning = false;

  /** @param onLongChange called at each check while a long change runs */
  constructor(workers: () => Iterable<DocumentWorker>, onLongChange: () => void) {
    this.#workers = workers;
    this.#onLongChange = onLongChange;
  }

  /** Call when a change begins. One timer serves all of them, since a timer for each would cost more than a check. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    systemTimers.after(CHECK_INTERVAL_MS, () => this.#check());
  }

  #check(): void {
    this.#isRunning = false;
    const changing = [...this.#workers()].filter((worker) => worker.isChanging);
    if (changing.length === 0) return;
    // A thread that is still starting runs no change.
    if (changing.some((worker) => worker.isReady && worker.busyMs >= LONG_MS)) this.#onLongChange();
    this.start();
  }
}
