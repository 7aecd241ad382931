import type { Random } from "../stress/random.ts";

interface Entry {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Virtual time: a queue of callbacks, of which each is one step. Everything is decided by the seed. */
export class Scheduler {
  readonly random: Random;
  readonly #heap: Entry[] = [];
  #order = 0;
  nowMs = 0;
  steps = 0;

  constructor(random: Random) {
    this.random = random;
  }

  after(delayMs: number, run: () => void): void {
    this.#push({ atMs: this.nowMs + delayMs, order: this.#order++, run });
  }

  /** Runs the next callback; false when nothing is left. */
  step(): boolean {
    const entry = this.#pop();
    if (!entry) return false;
    this.nowMs = entry.atMs;
    this.steps++;
    entry.run();
    return true;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(entry, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let below = heap[child];
      if (!below) break;
      const right = heap[child + 1];
      if (right && isBefore(right, below)) {
        below = right;
        child++;
      }
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

const isBefore = (a: Entry, b: Entry): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
