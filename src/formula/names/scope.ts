import { type Known, kept } from "./known.ts";

/** What is known of variables by their names. */
export type Variables = ReadonlyMap<string, Known>;

/** The names of a function, a class or a comprehension, and what is known of them where the reader stands. */
export class Scope {
  readonly kind: "function" | "class" | "comprehension";
  readonly #outer: Scope | undefined;
  readonly #names: ReadonlySet<string>;
  readonly #learn: (name: string, known: Known) => void;
  readonly #ever: Variables;
  #now = new Map<string, Known>();

  /** `ever` is what was known of its variables anywhere, `learn` adds to it. */
  constructor(
    kind: Scope["kind"],
    names: readonly string[],
    { outer, ever, learn }: { outer: Scope | undefined; ever: Variables; learn: (name: string, known: Known) => void },
  ) {
    this.kind = kind;
    this.#names = new Set(names);
    this.#outer = outer;
    this.#ever = ever;
    this.#learn = learn;
  }

  /** What is known of a variable. Null when no scope has such a name. */
  find(name: string): Known | undefined | null {
    const holder = this.#holderOf(name);
    if (!holder) return null;
    const { scope, isOuter } = holder;
    // A function runs later than it is written: whatever its variables will be by then counts.
    return scope.#now.get(name) ?? (isOuter ? scope.#ever.get(name) : undefined);
  }

  assign(name: string, known: Known | undefined): void {
    const scope = this.#holderOf(name)?.scope;
    if (!scope) return;
    const value = kept(known);
    if (!value) {
      scope.#now.delete(name);
      return;
    }
    scope.#now.set(name, value);
    scope.#learn(name, value);
  }

  /** What is known of its own variables at this point. */
  save(): Variables {
    return new Map(this.#now);
  }

  /** To go on where one of several ways led here. Of a variable that is known on more than one, the first counts. */
  resume(...ways: readonly Variables[]): void {
    this.#now = new Map(ways.toReversed().flatMap((way) => [...way]));
  }

  #holderOf(name: string): { scope: Scope; isOuter: boolean } | undefined {
    if (this.#names.has(name)) return { scope: this, isOuter: false };
    let isOuter = this.kind === "function";
    for (let scope = this.#outer; scope; scope = scope.#outer) {
      // Names of a class are known in its body only, not in its methods.
      if (scope.kind !== "class" && scope.#names.has(name)) return { scope, isOuter };
      isOuter ||= scope.kind === "function";
    }
    return undefined;
  }
}
