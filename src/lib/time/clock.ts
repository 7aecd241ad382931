/** The time, as something that tests can set. */
export interface Clock {
  /** Milliseconds since the epoch: for what is shown or kept. Somebody may set it, forwards and backwards. */
  now(): number;
  /** Milliseconds since some moment, which nobody sets: for how long something takes or lasts. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** UTC ISO 8601 with milliseconds. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
