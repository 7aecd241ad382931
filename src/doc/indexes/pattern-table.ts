interface Pattern {
  count: number;
  /** Monotonic times in milliseconds. */
  seenAt: number;
  blockedUntil: number;
}

/** Uses of a pattern after which its index is built. */
const MIN_USES = 2;
/** A pattern that was not seen for this long is forgotten. */
const MAX_AGE_MS = 600_000;
/** Patterns per document. */
const MAX_PATTERNS = 256;
/** How long no index is built after one turned out to be useless or too large. */
const BLOCK_MS = 600_000;

/** Counts how often queries of the same form had to read a whole table. */
export class PatternTable {
  /** In order of their last use. */
  readonly #patterns = new Map<string, Pattern>();

  /** Counts a use. Returns true if an index should be built for the pattern. */
  note(name: string, now: number, minUses = MIN_USES): boolean {
    const pattern = this.#touch(name, now);
    pattern.count++;
    return pattern.count >= minUses && now >= pattern.blockedUntil;
  }

  /** Suppresses a pattern for a while. */
  block(name: string, now: number): void {
    this.#touch(name, now).blockedUntil = now + BLOCK_MS;
  }

  #touch(name: string, now: number): Pattern {
    let pattern = this.#patterns.get(name);
    if (!pattern || now - pattern.seenAt > MAX_AGE_MS) pattern = { count: 0, seenAt: now, blockedUntil: 0 };
    pattern.seenAt = now;
    this.#patterns.delete(name);
    this.#patterns.set(name, pattern);
    for (const oldest of this.#patterns.keys()) {
      if (this.#patterns.size <= MAX_PATTERNS) break;
      this.#patterns.delete(oldest);
    }
    return pattern;
  }
}
