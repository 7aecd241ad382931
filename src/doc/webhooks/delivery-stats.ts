/** Delivery statistics of a webhook: the results of its deliveries, and its pending events. */

/** The result of sending a batch once. */
export interface Outcome {
  /** The time of the attempt, in milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  readonly isSuccess: boolean;
  /** Null when there was no response. */
  readonly httpStatus: number | null;
  /** The response text or the connection error; null on success. */
  readonly message: string | null;
  /** The beginning of the response text; missing where it was not stored. */
  readonly answer?: string;
  /** True when the server refuses to call the URL. */
  readonly isForbidden: boolean;
}

/** The most recently sent batch. */
export interface LastBatch {
  readonly status: "success" | "failure" | "rejected";
  readonly httpStatus: number | null;
  readonly errorMessage: string | null;
  readonly size: number;
  readonly attempts: number;
}

/**
 * Statistics since the first event; all null before. `updatedTime` is the time of the first event, then of the last
 * attempt.
 */
interface DeliveryStats {
  readonly updatedTime: number | null;
  readonly lastSuccessTime: number | null;
  readonly lastFailureTime: number | null;
  readonly lastErrorMessage: string | null;
  readonly lastHttpStatus: number | null;
  readonly lastEventBatch: LastBatch | null;
}

/** The stored state of a webhook beside its definition. */
export interface HookState extends DeliveryStats {
  /** Entries up to this one are completed. */
  readonly doneTo: number;
  /** The last entry of the batch in delivery; null when the next batch is not formed yet. */
  readonly batchTo: number | null;
  /** Entries after that batch up to this one were dropped because the queue was full. */
  readonly droppedTo: number;
  /** The number of dropped events. */
  readonly droppedCount: number;
  /** Failed attempts of the batch. */
  readonly failures: number;
  /** The end of the first failed attempt since the last success; null after a success. Absent in states of version 0.1. */
  readonly failingSince?: number | null;
  /** The time of the next attempt, in milliseconds since the epoch; null for immediately. */
  readonly retryAt: number | null;
  readonly isForbidden: boolean;
  /** True once the maximum of frequent retries is reached; further ones are rare. */
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

/** Returns the state of a webhook that starts after this entry, without statistics. */
export const initialHookState = (doneTo: number): HookState => ({
  ...EMPTY_STATS,
  doneTo,
  batchTo: null,
  droppedTo: 0,
  droppedCount: 0,
  failures: 0,
  failingSince: null,
  retryAt: null,
  isForbidden: false,
  isPostponed: false,
});

export type HookStatus = "idle" | "sending" | "retrying" | "postponed" | "error" | "invalid";

/** Usage as the API shows it: unknown values are omitted, except for the last batch. */
export interface HookUsage {
  readonly numWaiting: number;
  readonly status: HookStatus;
  readonly lastEventBatch: LastBatch | null;
  readonly updatedTime?: number;
  readonly lastSuccessTime?: number | null;
  readonly lastFailureTime?: number | null;
  readonly lastErrorMessage?: string | null;
  readonly lastHttpStatus?: number | null;
  /** Events dropped because the queue was full; omitted when there are none. */
  readonly numDropped?: number;
}

/** Returns the usage of a webhook with this many pending events. */
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

/** When a failed batch is retried. */
export interface Retry {
  readonly at: number;
  readonly isPostponed: boolean;
}

/** A tolerance for adjustments of a synchronized clock. */
const CLOCK_TOLERANCE_MS = 1000;

/** Returns the time of the next attempt; null for immediately, also when the clock was set back since the failure. */
export const effectiveRetryAt = ({ retryAt, lastFailureTime }: HookState, nowMs: number): number | null =>
  lastFailureTime !== null && nowMs < lastFailureTime - CLOCK_TOLERANCE_MS ? null : retryAt;

/** Returns the state after one more attempt of a batch of this many events that ends with the entry `batchTo`. */
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
    const done = {
      doneTo: Math.max(batchTo, state.doneTo),
      batchTo: null,
      failures: 0,
      failingSince: null,
      retryAt: null,
    };
    return { ...next, ...done, lastSuccessTime: endedAt, isForbidden: false, isPostponed: false };
  }
  return {
    ...next,
    batchTo,
    failures: state.failures + 1,
    failingSince: state.failingSince ?? endedAt,
    retryAt: retry?.at ?? null,
    isPostponed: retry?.isPostponed ?? false,
    isForbidden: outcome.isForbidden,
    lastFailureTime: endedAt,
    lastErrorMessage: message,
  };
}
