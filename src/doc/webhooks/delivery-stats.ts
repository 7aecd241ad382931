/** How a webhook fares: what its deliveries came to, and what waits. */

/** What sending a batch once came to. */
export interface Outcome {
  /** When it was sent, in milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  readonly isSuccess: boolean;
  /** Null when there was no answer. */
  readonly httpStatus: number | null;
  /** The answer's text, or what came instead of an answer; null on success. */
  readonly message: string | null;
  /** The beginning of the answer's text; missing where it was not kept. */
  readonly answer?: string;
  /** True when the address is one that this server does not call. */
  readonly isForbidden: boolean;
}

/** The batch that was sent last. */
export interface LastBatch {
  readonly status: "success" | "failure" | "rejected";
  readonly httpStatus: number | null;
  readonly errorMessage: string | null;
  readonly size: number;
  readonly attempts: number;
}

/** What is known since the first event; all null before. `updatedTime` is when it came, then when something was sent. */
interface DeliveryStats {
  readonly updatedTime: number | null;
  readonly lastSuccessTime: number | null;
  readonly lastFailureTime: number | null;
  readonly lastErrorMessage: string | null;
  readonly lastHttpStatus: number | null;
  readonly lastEventBatch: LastBatch | null;
}

/** What is kept of a webhook beside its definition. */
export interface HookState extends DeliveryStats {
  /** Entries up to this one are done with. */
  readonly doneTo: number;
  /** The last entry of the batch that is being tried; null when the next one is still to be put together. */
  readonly batchTo: number | null;
  /** Entries behind that batch up to this one were dropped since there were too many. */
  readonly droppedTo: number;
  /** How many events that were. */
  readonly droppedCount: number;
  /** Tries of the batch that failed. */
  readonly failures: number;
  /** When it may be tried again, in milliseconds since the epoch; null at once. */
  readonly retryAt: number | null;
  readonly isForbidden: boolean;
  /** True when it is not tried as often any more. */
  readonly isPostponed: boolean;
}

const EMPTY_STATS: DeliveryStats = {
  updatedTime: null,
  lastSuccessTime: null,
  lastFailureTime: null,
  lastErrorMessage: null,
  lastHttpStatus: null,
  lastEventBatch: null,
};

/** A webhook that has nothing to do with entries up to this one, and of which nothing is known. */
export const initialHookState = (doneTo: number): HookState => ({
  ...EMPTY_STATS,
  doneTo,
  batchTo: null,
  droppedTo: 0,
  droppedCount: 0,
  failures: 0,
  retryAt: null,
  isForbidden: false,
  isPostponed: false,
});

export type HookStatus = "idle" | "sending" | "retrying" | "postponed" | "error" | "invalid";

/** As the API shows it: what is not known yet is left out but for the last batch. */
export interface HookUsage {
  readonly numWaiting: number;
  readonly status: HookStatus;
  readonly lastEventBatch: LastBatch | null;
  readonly updatedTime?: number;
  readonly lastSuccessTime?: number | null;
  readonly lastFailureTime?: number | null;
  readonly lastErrorMessage?: string | null;
  readonly lastHttpStatus?: number | null;
  /** Events that were dropped since too many waited; left out when there are none. */
  readonly numDropped?: number;
}

/** The usage of a webhook for which so many events wait. */
export function usageOf(state: HookState, waiting: number): HookUsage {
  const { updatedTime, lastSuccessTime, lastFailureTime, lastErrorMessage, lastHttpStatus, lastEventBatch } = state;
  return {
    numWaiting: waiting,
    status: statusOf(state, waiting),
    lastEventBatch,
    ...(updatedTime !== null && {
      updatedTime,
      lastSuccessTime,
      lastFailureTime,
      lastErrorMessage,
      lastHttpStatus,
    }),
    ...(state.droppedCount > 0 && { numDropped: state.droppedCount }),
  };
}

function statusOf({ failures, isForbidden, isPostponed }: HookState, waiting: number): HookStatus {
  if (waiting === 0) return "idle";
  if (isForbidden) return "invalid";
  if (isPostponed) return "postponed";
  return failures > 1 ? "retrying" : "sending";
}

/** When a batch that failed is tried again. */
export interface Retry {
  readonly at: number;
  readonly isPostponed: boolean;
}

/** Clocks that are kept right move by less. */
const CLOCK_TOLERANCE_MS = 1000;

/** When what failed may be tried again; null at once, which is also when somebody has set the clock back since. */
export const effectiveRetryAt = ({ retryAt, lastFailureTime }: HookState, nowMs: number): number | null =>
  lastFailureTime !== null && nowMs < lastFailureTime - CLOCK_TOLERANCE_MS ? null : retryAt;

/** What is known after a batch of so many events, up to the entry `batchTo`, was sent once more. */
export function hookStateAfter(
  state: HookState,
  outcome: Outcome,
  { batchTo, size, retry }: { batchTo: number; size: number; retry: Retry | null },
): HookState {
  const { at, durationMs, isSuccess, httpStatus, message } = outcome;
  const endedAt = at + durationMs;
  const lastEventBatch: LastBatch = {
    status: isSuccess ? "success" : "failure",
    httpStatus,
    errorMessage: isSuccess ? null : message,
    size,
    attempts: state.failures + 1,
  };
  const next = { ...state, updatedTime: endedAt, lastHttpStatus: httpStatus, lastEventBatch };
  if (isSuccess) {
    const done = { doneTo: Math.max(batchTo, state.doneTo), batchTo: null, failures: 0, retryAt: null };
    return { ...next, ...done, lastSuccessTime: endedAt, isForbidden: false, isPostponed: false };
  }
  return {
    ...next,
    batchTo,
    failures: state.failures + 1,
    retryAt: retry?.at ?? null,
    isPostponed: retry?.isPostponed ?? false,
    isForbidden: outcome.isForbidden,
    lastFailureTime: endedAt,
    lastErrorMessage: message,
  };
}
