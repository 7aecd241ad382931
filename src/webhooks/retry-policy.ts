import type { Retry } from "../hosts/documents.ts";

export interface RetrySettings {
  /** The first delay; it doubles with each retry. */
  readonly retryMs: number;
  /** Number of attempts after which a batch is retried less often. */
  readonly maxAttempts: number;
}

/** Maximum number of doublings while a receiver is retried frequently. */
const MAX_DOUBLINGS = 6;
const MAX_RETRY_MS = 3_600_000;
/** Upper limit for the receiver's Retry-After. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** Spreads the retries of receivers that failed at the same time. */
const JITTER = 0.2;

/**
 * Returns when to retry a batch. Deliveries are ordered, so later events wait for it; the batch is never dropped, only
 * retried less and less often, and the queue limit discards old events.
 * @param failures number of failed attempts, at least 1
 * @param retryAfterMs the delay the receiver asked for, if any
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

/** Parses a Retry-After header (seconds or a date) to milliseconds; null when it is missing or invalid. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
