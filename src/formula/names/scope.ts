import { type Known, kept } from "./known.ts";

/** What is known of variables by their names. */
export type Variables = ReadonlyMap<string, Known>;

/** What is known of the variables that one of several ways assigns to, at its end. */
export type Way = ReadonlyMap<string, Known | undefined>;

/** The names of a function, a class or a comprehension, and what is known of them where the reader stands. */
export class Scope {
  readonly kind: "function" | "class" | "comprehension";
  readonly #outer: Scope | undefined;
  readonly #names: ReadonlySet<string>;
  readonly #learn: (name: string, known: Known) => void;
  readonly #ever: Variables;
  readonly #now = new Map<string, Known>();
  /** What was known before the way that is gone at present of the variables that it assigns to. */
  #before: Map<string, Known | undefined> | undefined;

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
    scope.#set(name, value);
    if (value) scope.#learn(name, value);
  }

  /** Goes a way and comes back: what it makes of the variables is given, and holds no more. */
  branch(work: () => void): Way {
    const outer = this.#before;
    const before = new Map<string, Known | undefined>();
    this.#before = before;
    work();
    const way = new Map([...before.keys()].map((name) => [name, this.#now.get(name)]));
    this.#before = undefined;
    for (const [name, known] of before) this.#set(name, known);
    this.#before = outer;
    return way;
  }

  /** Goes on where one of several ways led here. Of a variable that is known on more than one, the first counts. */
  meet(ways: readonly Way[]): void {
    for (const name of new Set(ways.flatMap((way) => [...way.keys()]))) {
      const here = this.#now.get(name);
      const known = ways.map((way) => (way.has(name) ? way.get(name) : here));
      this.#set(
        name,
        known.find((value) => value !== undefined),
      );
    }
  }

  #set(name: string, known: Known | undefined): void {
    if (this.#before && !this.#before.has(name)) this.#before.set(name, this.#now.get(name));
    if (known) this.#now.set(name, known);
    else this.#now.delete(name);
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
