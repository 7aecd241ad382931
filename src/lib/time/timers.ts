import { guarded } from "../callbacks.ts";

/** Waiting, as something that tests can do without. */
export interface Timers {
  /**
   * Runs `work` after so many milliseconds, unless the function that this gives is called before. What it throws is
   * reported and ends nothing else.
   */
  after(ms: number, work: () => unknown): () => void;
}

/** The longest wait that the timers of the runtime know. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Timers that do not keep the program running. */
export const systemTimers: Timers = {
  after(ms, work) {
    const timer = startTimer(ms, work).unref();
    return () => clearTimeout(timer);
  },
};

/** As `systemTimers`, for work that somebody waits for: the program does not end before it. */
export const referencedTimers: Timers = {
  after(ms, work) {
    const timer = startTimer(ms, work);
    return () => clearTimeout(timer);
  },
};

/** Runs `work` again and again until the function that this gives is called. Does not keep the program running. */
export function runEvery(ms: number, work: () => unknown): () => void {
  const timer = setInterval(guarded(work), ms).unref();
  return () => clearInterval(timer);
}

/** Runs `work` in the next turn of the event loop. */
export function runSoon(work: () => unknown): void {
  setImmediate(guarded(work));
}

/** Lets whatever else waits in the event loop have its turn. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const startTimer = (ms: number, work: () => unknown): Timer =>
  setTimeout(guarded(work), Math.min(Math.max(0, ms), MAX_DELAY_MS));
