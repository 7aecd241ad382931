import type { Retry } from "../hosts/documents.ts";

export interface RetrySettings {
  /** The first wait; the following ones are twice as long each. */
  readonly retryMs: number;
  /** Tries after which a batch is tried less often. */
  readonly maxAttempts: number;
}

/** How often the first wait is doubled while a receiver is tried often. */
const MAX_DOUBLINGS = 6;
const MAX_RETRY_MS = 3_600_000;
/** What a receiver asks for counts up to here. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** Receivers that failed together are not called together again. */
const JITTER = 0.2;

/**
 * When a batch is tried again. In order means that what follows waits for it; so it is never given up, only tried less
 * and less often, and it is the limit of the queue that ends the waiting of what is old.
 * @param failures how many tries failed by now, 1 or more
 * @param askedMs what the receiver asked to wait, if he did
 * @param random from 0 to 1
 */
export function nextRetry(
  { retryMs, maxAttempts }: RetrySettings,
  {
    failures,
    nowMs,
    retryAfterMs,
    random,
  }: { failures: number; nowMs: number; retryAfterMs: number | null; random: number },
): Retry {
  const isPostponed = failures >= maxAttempts;
  const frequentMs = retryMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS);
  const postponedMs = Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.min(MAX_DOUBLINGS + failures - maxAttempts, 40));
  const waitMs = isPostponed ? Math.max(frequentMs, postponedMs) : frequentMs;
  const jitterFactor = failures === 1 ? 1 : 1 + JITTER * random;
  return {
    at: nowMs + Math.max(Math.round(waitMs * jitterFactor), Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)),
    isPostponed,
  };
}

/** What a Retry-After header asks to wait, in milliseconds: seconds or a date; null when it says nothing. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
