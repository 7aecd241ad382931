/** The clock; tests inject their own. */
export interface Clock {
  /**
   * Wall-clock time in milliseconds since the epoch, for values that are shown or stored. May be set forwards and
   * backwards.
   */
  now(): number;
  /** Monotonic time in milliseconds, for durations. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** UTC ISO 8601 with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
