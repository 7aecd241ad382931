import { Worker } from "node:worker_threads";
import { IS_EXECUTABLE } from "../lib/build.ts";

/** What the shared cell of time holds besides milliseconds that are left. */
export const IDLE = 0;
export const CLAIMED = -1;
/** What the shared cell of the thread's state holds once it watches. */
export const READY = 1;

/** In the executable files keep their places below `src/`. */
const ENTRY = IS_EXECUTABLE ? "./sql/watchdog.ts" : new URL("./watchdog.ts", import.meta.url);
const START_WITHIN_MS = 5000;

/** A time limit on what this thread does, kept by another thread that ends the process. */
export class Deadline {
  readonly #cell = new Int32Array(new SharedArrayBuffer(4));
  #leftMs = 0;
  #runningSince = 0;

  /** Returns when the limit can be relied on. Throws an Error when the thread does not start. */
  constructor() {
    const state = new Int32Array(new SharedArrayBuffer(4));
    new Worker(ENTRY, { workerData: [this.#cell, state] }).unref();
    Atomics.wait(state, 0, 0, START_WITHIN_MS);
    if (Atomics.load(state, 0) !== READY) throw new Error("the thread that keeps the time does not start");
  }

  /** From now on so many milliseconds may pass. */
  start(ms: number): void {
    this.#leftMs = ms;
    this.resume();
  }

  /** Stops the clock. Does not return when the time was up. */
  pause(): void {
    if (Atomics.exchange(this.#cell, 0, IDLE) === CLAIMED) {
      Atomics.store(this.#cell, 0, CLAIMED);
      Atomics.wait(this.#cell, 0, CLAIMED);
    }
    Atomics.notify(this.#cell, 0);
    this.#leftMs -= performance.now() - this.#runningSince;
  }

  resume(): void {
    this.#runningSince = performance.now();
    Atomics.store(this.#cell, 0, Math.max(1, Math.ceil(this.#leftMs)));
    Atomics.notify(this.#cell, 0);
  }
}
