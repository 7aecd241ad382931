/** Counts work in flight by key, up to a limit. */
export class KeyedConcurrencyLimiter {
  readonly #inFlight = new Map<string, number>();

  /** Acquires a slot for `key`; returns false when `most` slots are in use. 0 = no limit. */
  tryAcquire(key: string, max: number): boolean {
    const current = this.#inFlight.get(key) ?? 0;
    if (max > 0 && current >= max) return false;
    this.#inFlight.set(key, current + 1);
    return true;
  }

  release(key: string): void {
    const current = this.#inFlight.get(key) ?? 0;
    if (current > 1) this.#inFlight.set(key, current - 1);
    else this.#inFlight.delete(key);
  }
}
