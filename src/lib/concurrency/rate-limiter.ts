export interface RateLimiterOptions {
  /** Bucket size: how many events are allowed in a burst. */
  burst: number;
  /** Refill interval of one token, in milliseconds. */
  refillMs: number;
  /** Maximum number of keys; the least recently used are evicted first. */
  maxKeys?: number;
}

/** Rate limiter by key, in memory: a token bucket. */
export class RateLimiter {
  readonly #options: Required<RateLimiterOptions>;
  /** By key: when the bucket will be full again. Ordered by last use, oldest first. */
  readonly #fullAt = new Map<string, number>();

  constructor(options: RateLimiterOptions) {
    this.#options = { maxKeys: 10_000, ...options };
  }

  /** Takes a token at `now`. Returns 0 when allowed, otherwise the milliseconds until a token is available. */
  take(key: string, now: number): number {
    const { burst, refillMs, maxKeys } = this.#options;
    const fullAt = Math.max(this.#fullAt.get(key) ?? now, now);
    const waitMs = fullAt + refillMs - now - burst * refillMs;
    if (waitMs > 0) return waitMs;
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt + refillMs);
    if (this.#fullAt.size > maxKeys) this.#evict(now);
    return 0;
  }

  /** Resets the bucket of a key. */
  clear(key: string): void {
    this.#fullAt.delete(key);
  }

  #evict(now: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
    for (const key of this.#fullAt.keys()) {
      if (this.#fullAt.size <= this.#options.maxKeys) break;
      this.#fullAt.delete(key);
    }
  }
}
