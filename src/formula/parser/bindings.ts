import { syntaxError } from "../runtime/errors.ts";

/** Prefix of names declared `global`; no other name starts with it. */
export const GLOBAL_PREFIX = "\0global ";

export const isGlobalName = (name: string): boolean => name.startsWith(GLOBAL_PREFIX);

/** The names that a function, a class or a comprehension binds, collected while parsing. */
export class Bindings {
  readonly kind: "function" | "class" | "comprehension";
  readonly outer: Bindings | undefined;
  /** True if the body contains a `yield`. */
  isGenerator = false;
  /** True if a `yield` may occur within an expression. */
  hasYieldExpression = false;
  /** The number of loops around the current position. */
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

  /** Makes the name refer to the enclosing function's variable from here on. Throws PyError SyntaxError. */
  declareNonlocal(name: string): void {
    if (this.#names.has(name)) throw syntaxError(`name '${name}' is assigned to before nonlocal declaration`);
    this.#nonlocals.add(name);
  }

  /** Makes the name refer to a variable of the whole formula from here on. Throws PyError SyntaxError. */
  declareGlobal(name: string): void {
    if (this.#names.has(name)) throw syntaxError(`name '${name}' is assigned to before global declaration`);
    this.#globals.add(name);
  }

  /** Returns the name for the syntax tree: global names get a prefix. */
  resolve(name: string): string {
    const scope = this.#names.has(name) ? this : this.nearestFunction;
    return scope.#globals.has(name) ? GLOBAL_PREFIX + name : name;
  }

  get names(): string[] {
    return [...this.#names];
  }

  /** The scope in which `:=` in a comprehension binds. */
  get nearestFunction(): Bindings {
    return this.kind === "comprehension" && this.outer ? this.outer.nearestFunction : this;
  }
}
