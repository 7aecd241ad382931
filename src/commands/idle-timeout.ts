/** A connection without a request is kept so much longer than a body is waited for. */
const IDLE_FACTOR = 2.5;
/** Below this, the runtime's steps would be too coarse. */
const MIN_IDLE_S = 20;
/** The runtime looks at connections this often: a timeout of a multiple of it ends up to so much earlier. */
const TIMER_STEP_S = 4;

/**
 * The timeout to give the runtime for connections that wait for a next request, or whose answer nobody takes, so that
 * they end within 20 % of 2.5 times the client timeout.
 */
export const idleTimeoutS = (clientTimeoutS: number): number =>
  Math.floor(Math.max(MIN_IDLE_S, clientTimeoutS * IDLE_FACTOR) / TIMER_STEP_S) * TIMER_STEP_S + TIMER_STEP_S;
