import { Worker } from "node:worker_threads";
import { IS_EXECUTABLE } from "../lib/build.ts";

/** Indexes of the shared cells: the deadline, the watchdog's next check, and whether the watchdog runs. */
export const TIME = 0;
export const NEXT_CHECK = 1;
export const STATE = 2;
const CELLS = 3;

/** Special values of the first cell: no query runs; the deadline has passed. */
export const IDLE = 0;
export const EXPIRED = -1;
/** Value of the second cell while the watchdog sleeps until it is notified. */
export const NEVER = 0;
/** Value of the last cell once the watchdog runs. */
export const WATCHING = 1;

/** The executable preserves file paths below `src/`. */
const ENTRY = IS_EXECUTABLE ? "./sql/watchdog.ts" : new URL("./watchdog.ts", import.meta.url);
const START_TIMEOUT_MS = 5000;
const TIMESTAMP_MASK = 0x7fff_ffff;

/**
 * Returns a timestamp that fits a cell: milliseconds that wrap around every 24 days; never one of the special values.
 */
export const timestampIn = (ms: number): number =>
  Math.ceil((performance.timeOrigin + performance.now() + ms) % (TIMESTAMP_MASK + 1)) & TIMESTAMP_MASK || 1;

/** Returns the milliseconds between two timestamps that are at most 12 days apart. */
export const msBetweenTimestamps = (from: number, to: number): number => ((to - from) << 1) >> 1;

/**
 * A time limit for this process, enforced by a watchdog thread that kills the process. The watchdog is not notified of
 * each start and pause, which would take longer than a small query: it checks when the last deadline it saw would pass.
 */
export class Deadline {
  readonly #cells = new Int32Array(new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT));
  #remainingMs = 0;
  #runningSince = 0;

  /** Returns once the watchdog is running. @throws Error when its thread does not start */
  constructor() {
    new Worker(ENTRY, { workerData: this.#cells }).unref();
    Atomics.wait(this.#cells, STATE, 0, START_TIMEOUT_MS);
    if (Atomics.load(this.#cells, STATE) !== WATCHING) throw new Error("the watchdog thread did not start");
  }

  /** Starts the clock with the given limit. */
  start(ms: number): void {
    this.#remainingMs = ms;
    this.resume();
  }

  /** Stops the clock. Does not return if the deadline has passed. */
  pause(): void {
    if (Atomics.exchange(this.#cells, TIME, IDLE) === EXPIRED) {
      Atomics.store(this.#cells, TIME, EXPIRED);
      Atomics.wait(this.#cells, TIME, EXPIRED);
    }
    this.#remainingMs -= performance.now() - this.#runningSince;
  }

  resume(): void {
    this.#runningSince = performance.now();
    const end = timestampIn(Math.max(1, this.#remainingMs));
    Atomics.store(this.#cells, TIME, end);
    // The watchdog first publishes its next check and then re-reads the deadline, so that no new deadline is missed.
    const nextCheck = Atomics.load(this.#cells, NEXT_CHECK);
    if (nextCheck === NEVER || msBetweenTimestamps(end, nextCheck) > 0) Atomics.notify(this.#cells, TIME);
  }
}
