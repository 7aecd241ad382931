export interface RateLimiterOptions {
  /** How many at once. */
  burst: number;
  /** How long until one more is allowed, milliseconds. */
  refillMs: number;
  /** Keys remembered at most; the longest untouched are forgotten first. */
  maxKeys?: number;
}

/** Counts events by key, in memory: so many at once, then one each so often (a token bucket). */
export class RateLimiter {
  readonly #options: Required<RateLimiterOptions>;
  /** By key: when the bucket will be full again. Ordered by last use, oldest first. */
  readonly #fullAt = new Map<string, number>();

  constructor(options: RateLimiterOptions) {
    this.#options = { maxKeys: 10_000, ...options };
  }

  /** Counts one event at `now`. Answers 0 when it is allowed, else the milliseconds until one will be. */
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

  /** Forgets what was counted for a key. */
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
