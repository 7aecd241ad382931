import { guarded } from "../callbacks.ts";

/** Timers; tests inject their own. */
export interface Timers {
  /** Runs `work` after so many milliseconds, unless the returned function is called before. Exceptions are reported. */
  after(ms: number, work: () => unknown): () => void;
}

/** The longest delay that timers of the runtime support. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Timers that do not keep the process alive. */
export const systemTimers: Timers = {
  after(ms, work) {
    const timer = startTimer(ms, work).unref();
    return () => clearTimeout(timer);
  },
};

/** Like `systemTimers`, but keeps the process alive until `work` has run. */
export const referencedTimers: Timers = {
  after(ms, work) {
    const timer = startTimer(ms, work);
    return () => clearTimeout(timer);
  },
};

/** Runs `work` at an interval until the returned function is called. Does not keep the process alive. */
export function runEvery(ms: number, work: () => unknown): () => void {
  const timer = setInterval(guarded(work), ms).unref();
  return () => clearInterval(timer);
}

/** Runs `work` in the next turn of the event loop. */
export function runSoon(work: () => unknown): void {
  setImmediate(guarded(work));
}

/** Yields to the event loop. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const startTimer = (ms: number, work: () => unknown): Timer =>
  setTimeout(guarded(work), Math.min(Math.max(0, ms), MAX_DELAY_MS));
