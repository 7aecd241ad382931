import { syntaxError } from "./errors.ts";

/** The names that a function, a class or a comprehension binds, as reading it finds them. */
export class Bindings {
  readonly kind: "function" | "class" | "comprehension";
  readonly outer: Bindings | undefined;
  /** True if there is a `yield` in it. */
  yields = false;
  /** How many loops surround what is being read. */
  loops = 0;
  readonly #names = new Set<string>();
  readonly #nonlocals = new Set<string>();

  constructor(kind: Bindings["kind"], outer?: Bindings) {
    this.kind = kind;
    this.outer = outer;
  }

  bind(name: string): void {
    if (!this.#nonlocals.has(name)) this.#names.add(name);
  }

  /** From here on the name is that of a function around this one. Throws PyError SyntaxError. */
  declareNonlocal(name: string): void {
    if (this.#names.has(name)) throw syntaxError(`name '${name}' is assigned to before nonlocal declaration`);
    this.#nonlocals.add(name);
  }

  get names(): string[] {
    return [...this.#names];
  }

  /** What `:=` in a comprehension binds for. */
  get nearestFunction(): Bindings {
    return this.kind === "comprehension" && this.outer ? this.outer.nearestFunction : this;
  }
}
