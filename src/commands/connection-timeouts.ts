/** A connection without a request is kept so much longer than a body is waited for. */
const REST = 2.5;
/** Below this, the runtime's steps would be too coarse. */
const LEAST_S = 20;
/** The runtime looks at connections this often: a timeout of a multiple of it ends up to so much earlier. */
const STEP_S = 4;

/**
 * The timeout to give the runtime for connections that wait for a next request, or whose answer nobody takes, so that
 * they end within 20 % of 2.5 times the client timeout.
 */
export const idleSeconds = (clientTimeoutS: number): number =>
  Math.floor(Math.max(LEAST_S, clientTimeoutS * REST) / STEP_S) * STEP_S + STEP_S;
