/** Where a variable lies: in the frame so many functions further out, at a place there. */
export interface Variable {
  readonly depth: number;
  readonly slot: number;
  readonly scope: Scope;
}

/** The names of a function, a class or a comprehension, which have places in its frames. */
export class Scope {
  readonly kind: "function" | "class" | "comprehension";
  readonly outer: Scope | undefined;
  readonly #slots: ReadonlyMap<string, number>;

  constructor(kind: Scope["kind"], names: readonly string[], outer?: Scope) {
    this.kind = kind;
    this.outer = outer;
    this.#slots = new Map(names.map((name, index) => [name, index]));
  }

  /** The place of one of its own names; undefined if it is none. */
  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The variable that a name stands for here; undefined if no function around has it. */
  find(name: string): Variable | undefined {
    let depth = 0;
    const ownSlot = this.slotOf(name);
    if (ownSlot !== undefined) return { depth, slot: ownSlot, scope: this };
    for (let scope = this.outer; scope; scope = scope.outer) {
      depth++;
      // Names of a class are known in its body only, not in its methods.
      const slot = scope.kind === "class" ? undefined : scope.slotOf(name);
      if (slot !== undefined) return { depth, slot, scope };
    }
    return undefined;
  }
}
