/** A table or column over a stretch of history: what it is called at its beginning and at its end; null = not there. */
export interface NameHistory {
  before: string | null;
  after: string | null;
  /** Its last name: `after`, or the one it was removed under. */
  last: string;
  /** It was renamed, though its names at both ends may be the same. */
  isRenamed: boolean;
}

/**
 * Tables, or the columns of one, over a stretch of history. Names come and go and may be used again, so each thing is
 * known by where its name leads at the moment: first going forward through what was done, then back through what
 * undoes it.
 */
export class NameTracker<T extends NameHistory> {
  /** In the order in which they appeared. */
  readonly all = new Set<T>();
  readonly #create: (names: NameHistory) => T;
  readonly #current = new Map<string, T>();
  readonly #removed: (readonly [name: string, thing: T])[] = [];

  constructor(make: (names: NameHistory) => T) {
    this.#create = make;
  }

  /** What has this name at the moment. What nothing was said about so far has had it all the time. */
  at(name: string): T {
    return this.#current.get(name) ?? this.#track(name, name, name);
  }

  added(name: string): T {
    this.#vacate(name);
    return this.#track(name, null, name);
  }

  renamed(from: string, to: string): void {
    if (from !== to) this.#vacate(to);
    const thing = this.#move(from, to);
    thing.after = to;
    thing.last = to;
    thing.isRenamed = true;
  }

  removed(name: string): T {
    const thing = this.at(name);
    thing.after = null;
    this.#current.delete(name);
    this.#removed.push([name, thing]);
    return thing;
  }

  /** Going back: it is here for the last time, since it was added. */
  undoAdded(name: string): void {
    const thing = this.at(name);
    thing.before = null;
    this.#current.delete(name);
  }

  /** Going back: `from` is what it was renamed to. */
  undoRenamed(from: string, to: string): void {
    const thing = this.#move(from, to);
    thing.before = to;
  }

  /** Going back: it is here again, since it was removed. */
  undoRemoved(name: string): T {
    const index = this.#removed.findLastIndex(([gone]) => gone === name);
    const [, thing = null] = (index < 0 ? undefined : this.#removed.splice(index, 1)[0]) ?? [];
    const found = thing ?? this.#current.get(name) ?? this.#track(name, name, null);
    found.before = name;
    this.#current.set(name, found);
    return found;
  }

  /**
   * Carries on with what happened next.
   * @param join takes over from one of `next` what happened to the same thing here; its names are still those it had
   *   before `next`
   */
  merge(next: NameTracker<T>, join: (thing: T, next: T) => void): void {
    // All are found before any changes its name: two may have exchanged theirs.
    const pairs = [...next.all].map((later) => [this.#startOf(later), later] as const);
    for (const [, { before }] of pairs) if (before !== null) this.#current.delete(before);
    for (const [thing, later] of pairs) {
      join(thing, later);
      thing.after = later.after;
      thing.last = later.last;
      thing.isRenamed ||= later.isRenamed;
      if (thing.after !== null) {
        this.#vacate(thing.after);
        this.#current.set(thing.after, thing);
      }
      if (thing.before === null && thing.after === null) this.all.delete(thing);
    }
  }

  #startOf({ before, last }: NameHistory): T {
    if (before !== null) return this.at(before);
    const thing = this.#create({ before: null, after: null, last, isRenamed: false });
    this.all.add(thing);
    return thing;
  }

  /** What had a name that is given anew must be gone, even if no history says so. */
  #vacate(name: string): void {
    const former = this.#current.get(name);
    if (former) former.after = null;
    this.#current.delete(name);
  }

  #track(name: string, before: string | null, after: string | null): T {
    const thing = this.#create({ before, after, last: name, isRenamed: false });
    this.all.add(thing);
    this.#current.set(name, thing);
    return thing;
  }

  #move(from: string, to: string): T {
    const thing = this.at(from);
    this.#current.delete(from);
    this.#current.set(to, thing);
    return thing;
  }
}
