/** The time, as something that tests can set. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** UTC ISO 8601 with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
