/** The ratio of the keep-alive timeout to the timeout of request bodies. */
const IDLE_FACTOR = 2.5;
/** Below this, the runtime's granularity is too coarse. */
const MIN_IDLE_S = 20;
/** The runtime checks connections at this interval: a timeout of a multiple of it ends up to one interval early. */
const TIMER_STEP_S = 4;

/**
 * Returns the timeout to give the runtime for keep-alive connections and for responses that the client does not read,
 * so that they end within 20 % of 2.5 times the client timeout.
 */
export const idleTimeoutS = (clientTimeoutS: number): number =>
  Math.floor(Math.max(MIN_IDLE_S, clientTimeoutS * IDLE_FACTOR) / TIMER_STEP_S) * TIMER_STEP_S + TIMER_STEP_S;
