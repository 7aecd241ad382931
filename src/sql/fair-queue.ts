interface DequeuedItem<T> {
  readonly key: string;
  readonly item: T;
}

export interface FairQueueLimits {
  /** Maximum number of queued items per key. */
  readonly maxPerKey: number;
  /** Maximum number of queued items in total. */
  readonly maxTotal: number;
  /** Maximum number of running items per key. */
  readonly maxRunningPerKey: number;
}

/** A queue that serves keys round-robin, so that a busy key does not block the others. */
export class FairQueue<T> {
  readonly #limits: FairQueueLimits;
  /** By key, in round-robin order. */
  readonly #waiting = new Map<string, T[]>();
  readonly #running = new Map<string, number>();
  #size = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Queues an item, or returns which limit is reached. */
  push(key: string, item: T): "queued" | "keyFull" | "full" {
    const items = this.#waiting.get(key);
    if (items && items.length >= this.#limits.maxPerKey) return "keyFull";
    if (this.#size >= this.#limits.maxTotal) return "full";
    if (items) items.push(item);
    else this.#waiting.set(key, [item]);
    this.#size++;
    return "queued";
  }

  /** Removes the next item that may run and counts it as running. */
  dequeue(): DequeuedItem<T> | undefined {
    for (const [key, items] of this.#waiting) {
      const running = this.#running.get(key) ?? 0;
      if (running >= this.#limits.maxRunningPerKey) continue;
      const [item] = items.splice(0, 1);
      // Move the key to the end, behind all other keys.
      this.#waiting.delete(key);
      if (items.length > 0) this.#waiting.set(key, items);
      if (item === undefined) continue;
      this.#size--;
      this.#running.set(key, running + 1);
      return { key, item };
    }
    return undefined;
  }

  /** Removes the next item of a key, unless other keys wait. Does not count it as running. */
  dequeueMore(key: string): T | undefined {
    const items = this.#waiting.get(key);
    if (!items || this.#waiting.size > 1) return undefined;
    const item = items.shift();
    if (items.length === 0) this.#waiting.delete(key);
    if (item !== undefined) this.#size--;
    return item;
  }

  /** Returns a removed item to the front of its key, whatever the limits. */
  putBack(key: string, item: T): void {
    const items = this.#waiting.get(key);
    if (items) items.unshift(item);
    else this.#waiting.set(key, [item]);
    this.#size++;
  }

  /** Removes a queued item. @returns false when it is not queued */
  remove(key: string, item: T): boolean {
    const items = this.#waiting.get(key);
    const at = items?.indexOf(item) ?? -1;
    if (!items || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#waiting.delete(key);
    this.#size--;
    return true;
  }

  /** Removes and returns all queued items. */
  clear(): T[] {
    const items = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#size = 0;
    return items;
  }

  /** Call it when a dequeued item has finished. */
  done(key: string): void {
    const running = (this.#running.get(key) ?? 0) - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
  }
}
