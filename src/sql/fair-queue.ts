interface DequeuedItem<T> {
  readonly key: string;
  readonly item: T;
}

export interface FairQueueLimits {
  /** How many of one key may wait. */
  readonly maxPerKey: number;
  /** How many may wait altogether. */
  readonly maxTotal: number;
  /** How many of one key may run at a time. */
  readonly maxRunningPerKey: number;
}

/**
 * What waits to be run, by key: keys take turns, so that one with much to do does not hold up the others.
 */
export class FairQueue<T> {
  readonly #limits: FairQueueLimits;
  /** By key, in the order of turns. */
  readonly #waiting = new Map<string, T[]>();
  readonly #running = new Map<string, number>();
  #size = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes an item in, or tells that there is no room. */
  push(key: string, item: T): "waits" | "key is full" | "all is full" {
    const items = this.#waiting.get(key);
    if (items && items.length >= this.#limits.maxPerKey) return "key is full";
    if (this.#size >= this.#limits.maxTotal) return "all is full";
    if (items) items.push(item);
    else this.#waiting.set(key, [item]);
    this.#size++;
    return "waits";
  }

  /** The next item whose turn it is and that may run, which counts as running from now on. */
  dequeue(): DequeuedItem<T> | undefined {
    for (const [key, items] of this.#waiting) {
      const running = this.#running.get(key) ?? 0;
      if (running >= this.#limits.maxRunningPerKey) continue;
      const [item] = items.splice(0, 1);
      // At the end of the row, behind all others that wait.
      this.#waiting.delete(key);
      if (items.length > 0) this.#waiting.set(key, items);
      if (item === undefined) continue;
      this.#size--;
      this.#running.set(key, running + 1);
      return { key, item };
    }
    return undefined;
  }

  /** Takes out an item that waits. @returns false when it does not, since it was taken or was never there */
  remove(key: string, item: T): boolean {
    const items = this.#waiting.get(key);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#waiting.delete(key);
    this.#size--;
    return true;
  }

  /** Everything that waits, which does so no longer. */
  clear(): T[] {
    const items = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    return items;
  }

  /** To be called when what was taken is over. */
  done(key: string): void {
    const running = (this.#running.get(key) ?? 0) - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
  }
}
