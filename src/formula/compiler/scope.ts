/** The location of a variable: `depth` frames outwards, at index `slot`. */
export interface Variable {
  readonly depth: number;
  readonly slot: number;
  readonly scope: Scope;
}

/** The names of a function, a class or a comprehension; each has a slot in its frames. */
export class Scope {
  readonly kind: "function" | "class" | "comprehension";
  readonly outer: Scope | undefined;
  readonly #slots: ReadonlyMap<string, number>;

  constructor(kind: Scope["kind"], names: readonly string[], outer?: Scope) {
    this.kind = kind;
    this.outer = outer;
    this.#slots = new Map(names.map((name, index) => [name, index]));
  }

  /** Returns the slot of one of the scope's own names; undefined for other names. */
  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Resolves a name; returns undefined if no enclosing scope defines it. */
  find(name: string): Variable | undefined {
    let depth = 0;
    const ownSlot = this.slotOf(name);
    if (ownSlot !== undefined) return { depth, slot: ownSlot, scope: this };
    for (let scope = this.outer; scope; scope = scope.outer) {
      depth++;
      // Names of a class are visible in its body only, not in its methods.
      const slot = scope.kind === "class" ? undefined : scope.slotOf(name);
      if (slot !== undefined) return { depth, slot, scope };
    }
    return undefined;
  }
}
