import { incrementCounter } from "../../lib/observability/measurements.ts";
import type { TableIndex } from "./table-index.ts";

/** An index with its use, as the budget sees it. */
export interface BudgetedIndex {
  readonly index: TableIndex;
  /** Monotonic time in milliseconds. */
  usedAt: number;
  /** What it will take, while it is being built. */
  expectedBytes: number;
  /** Removes it from its document. */
  evict(): void;
}

/** An index that was used this recently is not evicted for another one: two that do not fit would take turns. */
const MIN_LIFETIME_MS = 10_000;

/** The memory for the indexes of all documents of a thread. Evicts the least recently used ones. */
export class IndexBudget {
  readonly maxBytes: number;
  readonly #members = new Set<BudgetedIndex>();
  #reported = { count: 0, usedBytes: 0 };

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#members.values().reduce((sum, member) => sum + bytesOf(member), 0);
  }

  get count(): number {
    return this.#members.size;
  }

  /** Adds an index if it fits, evicting others. Returns false if it does not. */
  add(added: BudgetedIndex): boolean {
    const candidates = [...this.#members]
      .filter(({ usedAt }) => usedAt <= added.usedAt - MIN_LIFETIME_MS)
      .toSorted((a, b) => b.usedAt - a.usedAt);
    const evictable = candidates.reduce((sum, member) => sum + bytesOf(member), 0);
    if (this.usedBytes - evictable + bytesOf(added) > this.maxBytes) return false;
    while (this.usedBytes + bytesOf(added) > this.maxBytes) candidates.pop()?.evict();
    this.#members.add(added);
    this.#report();
    return true;
  }

  remove(member: BudgetedIndex): void {
    this.#members.delete(member);
    this.#report();
  }

  /** Evicts indexes until all fit: some have grown since they were added. */
  enforce(): void {
    const members = [...this.#members].toSorted((a, b) => b.usedAt - a.usedAt);
    while (this.usedBytes > this.maxBytes) {
      const oldest = members.pop();
      if (!oldest) break;
      oldest.evict();
    }
    this.#report();
  }

  /** Reports differences, since the values of all threads are added up. */
  #report(): void {
    const { count, usedBytes } = this;
    incrementCounter("indexCount", count - this.#reported.count);
    incrementCounter("indexBytes", usedBytes - this.#reported.usedBytes);
    this.#reported = { count, usedBytes };
  }
}

const bytesOf = ({ index, expectedBytes }: BudgetedIndex): number => Math.max(index.sizeBytes, expectedBytes);
