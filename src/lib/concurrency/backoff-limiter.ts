export interface BackoffLimiterOptions {
  /** Attempts without a delay. */
  readonly free: number;
  /** The first delay; doubled after each further attempt. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** After this time without attempts a key begins again. */
  readonly forgetAfterMs: number;
  /** Maximum number of keys; the least recently used are evicted first. */
  readonly maxKeys?: number;
}

interface Entry {
  attempts: number;
  /** When the next attempt is allowed. */
  nextAt: number;
}

/** Limiter by key, in memory, with an exponentially growing delay between attempts. */
export class BackoffLimiter {
  readonly #options: BackoffLimiterOptions;
  readonly #maxKeys: number;
  /** Ordered by last use, oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: BackoffLimiterOptions) {
    this.#options = options;
    this.#maxKeys = options.maxKeys ?? 10_000;
  }

  /** Counts an attempt at `now`. Returns 0 when allowed, otherwise the milliseconds until the next attempt is. */
  take(key: string, now: number): number {
    const { free, firstDelayMs, maxDelayMs, forgetAfterMs } = this.#options;
    const found = this.#entries.get(key);
    const entry = found && now < found.nextAt + forgetAfterMs ? found : { attempts: 0, nextAt: now };
    if (entry.nextAt > now) return entry.nextAt - now;
    entry.attempts++;
    const delayed = entry.attempts - free;
    // Beyond 2^30 every maximum is reached.
    const delayMs = delayed < 0 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(delayed, 30));
    entry.nextAt = now + delayMs;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#maxKeys) this.#evict();
    return 0;
  }

  /** Forgets the attempts of a key. */
  clear(key: string): void {
    this.#entries.delete(key);
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxKeys) break;
      this.#entries.delete(key);
    }
  }
}
