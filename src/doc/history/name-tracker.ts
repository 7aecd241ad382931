/** The names of a table or column at the beginning and end of a range of history; null where it does not exist. */
export interface NameHistory {
  before: string | null;
  after: string | null;
  /** Its last name: `after`, or the one it had when it was removed. */
  last: string;
  /** It was renamed, though its names at both ends may be equal. */
  isRenamed: boolean;
}

/**
 * Tracks the identity of tables, or of one table's columns, over a range of history. Names can be reused, so each
 * object is identified by following its name: first forward through the applied actions, then backward through the undo
 * actions.
 */
export class NameTracker<T extends NameHistory> {
  /** In order of first appearance. */
  readonly all = new Set<T>();
  readonly #create: (names: NameHistory) => T;
  readonly #current = new Map<string, T>();
  readonly #removed: (readonly [name: string, tracked: T])[] = [];

  constructor(make: (names: NameHistory) => T) {
    this.#create = make;
  }

  /** Returns the object with this name at the present point. One not mentioned so far has had the name throughout. */
  at(name: string): T {
    return this.#current.get(name) ?? this.#track(name, name, name);
  }

  added(name: string): T {
    this.#vacate(name);
    return this.#track(name, null, name);
  }

  renamed(from: string, to: string): void {
    if (from !== to) this.#vacate(to);
    const tracked = this.#move(from, to);
    tracked.after = to;
    tracked.last = to;
    tracked.isRenamed = true;
  }

  removed(name: string): T {
    const tracked = this.at(name);
    tracked.after = null;
    this.#current.delete(name);
    this.#removed.push([name, tracked]);
    return tracked;
  }

  /** Backward: it was added here, so it does not exist before. */
  undoAdded(name: string): void {
    const tracked = this.at(name);
    tracked.before = null;
    this.#current.delete(name);
  }

  /** Backward: it was renamed to `from` here. */
  undoRenamed(from: string, to: string): void {
    const tracked = this.#move(from, to);
    tracked.before = to;
  }

  /** Backward: it was removed here, so it exists before. */
  undoRemoved(name: string): T {
    const index = this.#removed.findLastIndex(([gone]) => gone === name);
    const [, tracked = null] = (index < 0 ? undefined : this.#removed.splice(index, 1)[0]) ?? [];
    const found = tracked ?? this.#current.get(name) ?? this.#track(name, name, null);
    found.before = name;
    this.#current.set(name, found);
    return found;
  }

  /**
   * Merges the next range.
   * @param join merges an object of `next` into the same object here; its names are still those from before `next`
   */
  merge<N extends NameHistory>(next: { readonly all: Iterable<N> }, join: (tracked: T, next: N) => void): void {
    // All are looked up before any is renamed: two may have exchanged their names.
    const pairs = [...next.all].map((later) => [this.#startOf(later), later] as const);
    for (const [, { before }] of pairs) if (before !== null) this.#current.delete(before);
    for (const [tracked, later] of pairs) {
      join(tracked, later);
      tracked.after = later.after;
      tracked.last = later.last;
      tracked.isRenamed ||= later.isRenamed;
      if (tracked.after !== null) {
        this.#vacate(tracked.after);
        this.#current.set(tracked.after, tracked);
      }
      if (tracked.before === null && tracked.after === null) this.all.delete(tracked);
    }
  }

  #startOf({ before, last }: NameHistory): T {
    if (before !== null) return this.at(before);
    const tracked = this.#create({ before: null, after: null, last, isRenamed: false });
    this.all.add(tracked);
    return tracked;
  }

  /** If a name is assigned again, its previous owner must be gone, even if the history does not record that. */
  #vacate(name: string): void {
    const former = this.#current.get(name);
    if (former) former.after = null;
    this.#current.delete(name);
  }

  #track(name: string, before: string | null, after: string | null): T {
    const tracked = this.#create({ before, after, last: name, isRenamed: false });
    this.all.add(tracked);
    this.#current.set(name, tracked);
    return tracked;
  }

  #move(from: string, to: string): T {
    const tracked = this.at(from);
    this.#current.delete(from);
    this.#current.set(to, tracked);
    return tracked;
  }
}
