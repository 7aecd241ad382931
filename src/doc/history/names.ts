/** A table or column over a stretch of history: what it is called at its beginning and at its end; null = not there. */
export interface Named {
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
export class Names<T extends Named> {
  /** In the order in which they appeared. */
  readonly all = new Set<T>();
  readonly #make: (names: Named) => T;
  readonly #now = new Map<string, T>();
  readonly #gone: (readonly [name: string, thing: T])[] = [];

  constructor(make: (names: Named) => T) {
    this.#make = make;
  }

  /** What has this name at the moment. What nothing was said about so far has had it all the time. */
  at(name: string): T {
    return this.#now.get(name) ?? this.#put(name, name, name);
  }

  added(name: string): T {
    this.#makeWay(name);
    return this.#put(name, null, name);
  }

  renamed(from: string, to: string): void {
    if (from !== to) this.#makeWay(to);
    const thing = this.#move(from, to);
    thing.after = to;
    thing.last = to;
    thing.isRenamed = true;
  }

  removed(name: string): T {
    const thing = this.at(name);
    thing.after = null;
    this.#now.delete(name);
    this.#gone.push([name, thing]);
    return thing;
  }

  /** Going back: it is here for the last time, since it was added. */
  addedBack(name: string): void {
    const thing = this.at(name);
    thing.before = null;
    this.#now.delete(name);
  }

  /** Going back: `from` is what it was renamed to. */
  renamedBack(from: string, to: string): void {
    const thing = this.#move(from, to);
    thing.before = to;
  }

  /** Going back: it is here again, since it was removed. */
  removedBack(name: string): T {
    const index = this.#gone.findLastIndex(([gone]) => gone === name);
    const [, thing = null] = (index < 0 ? undefined : this.#gone.splice(index, 1)[0]) ?? [];
    const found = thing ?? this.#now.get(name) ?? this.#put(name, name, null);
    found.before = name;
    this.#now.set(name, found);
    return found;
  }

  /**
   * Carries on with what happened next.
   * @param join takes over from one of `next` what happened to the same thing here; its names are still those it had
   *   before `next`
   */
  continueWith(next: Names<T>, join: (thing: T, next: T) => void): void {
    // All are found before any changes its name: two may have exchanged theirs.
    const pairs = [...next.all].map((later) => [this.#beginning(later), later] as const);
    for (const [, { before }] of pairs) if (before !== null) this.#now.delete(before);
    for (const [thing, later] of pairs) {
      join(thing, later);
      thing.after = later.after;
      thing.last = later.last;
      thing.isRenamed ||= later.isRenamed;
      if (thing.after !== null) {
        this.#makeWay(thing.after);
        this.#now.set(thing.after, thing);
      }
      if (thing.before === null && thing.after === null) this.all.delete(thing);
    }
  }

  #beginning({ before, last }: Named): T {
    if (before !== null) return this.at(before);
    const thing = this.#make({ before: null, after: null, last, isRenamed: false });
    this.all.add(thing);
    return thing;
  }

  /** What had a name that is given anew must be gone, even if no history says so. */
  #makeWay(name: string): void {
    const former = this.#now.get(name);
    if (former) former.after = null;
    this.#now.delete(name);
  }

  #put(name: string, before: string | null, after: string | null): T {
    const thing = this.#make({ before, after, last: name, isRenamed: false });
    this.all.add(thing);
    this.#now.set(name, thing);
    return thing;
  }

  #move(from: string, to: string): T {
    const thing = this.at(from);
    this.#now.delete(from);
    this.#now.set(to, thing);
    return thing;
  }
}
