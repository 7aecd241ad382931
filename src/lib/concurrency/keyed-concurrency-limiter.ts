/** Counts what is under way by key, and says when it is enough. */
export class KeyedConcurrencyLimiter {
  readonly #inFlight = new Map<string, number>();

  /** Counts one more for `key`; false, and nothing counted, when `most` are under way. 0 = no limit. */
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
