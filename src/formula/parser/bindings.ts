import { syntaxError } from "../runtime/errors.ts";

/** Begins the names that `global` declares; no other name begins with it. */
export const GLOBAL_PREFIX = "\0global ";

export const isGlobalName = (name: string): boolean => name.startsWith(GLOBAL_PREFIX);

/** The names that a function, a class or a comprehension binds, as reading it finds them. */
export class Bindings {
  readonly kind: "function" | "class" | "comprehension";
  readonly outer: Bindings | undefined;
  /** True if there is a `yield` in it. */
  isGenerator = false;
  /** True if one of them may stand within an expression. */
  hasYieldExpression = false;
  /** How many loops surround what is being read. */
  loopDepth = 0;
  readonly #names = new Set<string>();
  readonly #nonlocals = new Set<string>();
  readonly #globals = new Set<string>();

  constructor(kind: Bindings["kind"], outer?: Bindings) {
    this.kind = kind;
    this.outer = outer;
  }

  bind(name: string): void {
    if (!this.#nonlocals.has(name) && !isGlobalName(name)) this.#names.add(name);
  }

  /** From here on the name is that of a function around this one. Throws PyError SyntaxError. */
  declareNonlocal(name: string): void {
    if (this.#names.has(name)) throw syntaxError(`name '${name}' is assigned to before nonlocal declaration`);
    this.#nonlocals.add(name);
  }

  /** From here on the name is that of the formula as a whole. Throws PyError SyntaxError. */
  declareGlobal(name: string): void {
    if (this.#names.has(name)) throw syntaxError(`name '${name}' is assigned to before global declaration`);
    this.#globals.add(name);
  }

  /** The name as it goes into the tree: those of the formula as a whole get a mark. */
  resolve(name: string): string {
    const scope = this.#names.has(name) ? this : this.nearestFunction;
    return scope.#globals.has(name) ? GLOBAL_PREFIX + name : name;
  }

  get names(): string[] {
    return [...this.#names];
  }

  /** What `:=` in a comprehension binds for. */
  get nearestFunction(): Bindings {
    return this.kind === "comprehension" && this.outer ? this.outer.nearestFunction : this;
  }
}
