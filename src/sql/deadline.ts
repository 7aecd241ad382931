import { Worker } from "node:worker_threads";
import { IS_EXECUTABLE } from "../lib/build.ts";

/** The shared cells: when the time is up, when the thread looks next, and whether it watches. */
export const TIME = 0;
export const NEXT_CHECK = 1;
export const STATE = 2;
const CELLS = 3;

/** What the first cell holds besides a moment: nothing runs; the time was up. */
export const IDLE = 0;
export const EXPIRED = -1;
/** What the second cell holds when the thread sleeps until it is woken. */
export const NEVER = 0;
/** What the last cell holds once the thread watches. */
export const WATCHING = 1;

/** In the executable files keep their places below `src/`. */
const ENTRY = IS_EXECUTABLE ? "./sql/watchdog.ts" : new URL("./watchdog.ts", import.meta.url);
const START_TIMEOUT_MS = 5000;
const TIMESTAMP_MASK = 0x7fff_ffff;

/** A moment as a cell holds it, in milliseconds that begin anew every 24 days; never one of the marks above. */
export const timestampIn = (ms: number): number =>
  Math.ceil((performance.timeOrigin + performance.now() + ms) % (TIMESTAMP_MASK + 1)) & TIMESTAMP_MASK || 1;

/** How long it is from one moment to another, which lies at most 12 days before or after it. */
export const msBetweenTimestamps = (from: number, to: number): number => ((to - from) << 1) >> 1;

/**
 * A time limit on what this thread does, kept by another thread that ends the process. It is not woken for each start
 * and pause, which would take longer than a small query: it looks when a limit it saw would be over.
 */
export class Deadline {
  readonly #cells = new Int32Array(new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT));
  #remainingMs = 0;
  #runningSince = 0;

  /** Returns when the limit can be relied on. Throws an Error when the thread does not start. */
  constructor() {
    new Worker(ENTRY, { workerData: this.#cells }).unref();
    Atomics.wait(this.#cells, STATE, 0, START_TIMEOUT_MS);
    if (Atomics.load(this.#cells, STATE) !== WATCHING) throw new Error("the thread that keeps the time does not start");
  }

  /** From now on so many milliseconds may pass. */
  start(ms: number): void {
    this.#remainingMs = ms;
    this.resume();
  }

  /** Stops the clock. Does not return when the time was up. */
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
    // The thread says first when it will look, and then sees whether the time is still what it read: one of both knows.
    const nextCheck = Atomics.load(this.#cells, NEXT_CHECK);
    if (nextCheck === NEVER || msBetweenTimestamps(end, nextCheck) > 0) Atomics.notify(this.#cells, TIME);
  }
}
