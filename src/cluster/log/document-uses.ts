import type { Timers } from "../../lib/time/timers.ts";

/** Counts the requests that use documents, so that a document leaves between two of them. */
export class DocumentUses {
  readonly #timers: Timers;
  readonly #counts = new Map<string, number>();
  /** Called when the last use of a document ends. */
  readonly #waiting = new Map<string, () => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  isUsed(doc: string): boolean {
    return this.#counts.has(doc);
  }

  /** Counts a use until the returned function is called, which is idempotent. */
  begin(doc: string): () => void {
    this.#counts.set(doc, (this.#counts.get(doc) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const rest = (this.#counts.get(doc) ?? 1) - 1;
      if (rest > 0) {
        this.#counts.set(doc, rest);
        return;
      }
      this.#counts.delete(doc);
      this.#waiting.get(doc)?.();
    };
  }

  /** Resolves with true when nothing uses the document, or with false after `ms`. One caller per document at a time. */
  async whenUnused(doc: string, ms: number): Promise<boolean> {
    if (!this.isUsed(doc)) return true;
    const unused = Promise.withResolvers<boolean>();
    const cancel = this.#timers.after(ms, () => unused.resolve(false));
    this.#waiting.set(doc, () => unused.resolve(true));
    try {
      return await unused.promise;
    } finally {
      cancel();
      this.#waiting.delete(doc);
    }
  }
}
