/** Waiting, as something that tests can do without. */
export interface Timers {
  /** Runs `work` after so many milliseconds, unless the function that this gives is called before. */
  after(ms: number, work: () => void): () => void;
}

/** The longest wait that the timers of the runtime know. */
const MAX_MS = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, Math.min(Math.max(0, ms), MAX_MS));
    // What waits does not keep the program running.
    timer.unref();
    return () => clearTimeout(timer);
  },
};
