import { type InferredType, asIndirect } from "./inferred-type.ts";

/** What is known of variables by their names. */
export type VariableTypes = ReadonlyMap<string, InferredType>;

/** What is known of the variables that one of several ways assigns to, at its end. */
export type BranchAssignments = ReadonlyMap<string, InferredType | undefined>;

/** The names of a function, a class or a comprehension, and what is known of them where the reader stands. */
export class Scope {
  readonly kind: "function" | "class" | "comprehension";
  readonly #outer: Scope | undefined;
  readonly #names: ReadonlySet<string>;
  readonly #onAssign: (name: string, type: InferredType) => void;
  readonly #assignedTypes: VariableTypes;
  readonly #currentTypes = new Map<string, InferredType>();
  /** What was known before the way that is gone at present of the variables that it assigns to. */
  #branchStart: Map<string, InferredType | undefined> | undefined;

  /** `ever` is what was known of its variables anywhere, `learn` adds to it. */
  constructor(
    kind: Scope["kind"],
    names: readonly string[],
    {
      outer,
      assignedTypes,
      onAssign,
    }: { outer: Scope | undefined; assignedTypes: VariableTypes; onAssign: (name: string, type: InferredType) => void },
  ) {
    this.kind = kind;
    this.#names = new Set(names);
    this.#outer = outer;
    this.#assignedTypes = assignedTypes;
    this.#onAssign = onAssign;
  }

  /** What is known of a variable. Null when no scope has such a name. */
  find(name: string): InferredType | undefined | null {
    const owner = this.#scopeOf(name);
    if (!owner) return null;
    const { scope, isOuter } = owner;
    // A function runs later than it is written: whatever its variables will be by then counts.
    return scope.#currentTypes.get(name) ?? (isOuter ? scope.#assignedTypes.get(name) : undefined);
  }

  assign(name: string, type: InferredType | undefined): void {
    const scope = this.#scopeOf(name)?.scope;
    if (!scope) return;
    const value = asIndirect(type);
    scope.#set(name, value);
    if (value) scope.#onAssign(name, value);
  }

  /** Goes a way and comes back: what it makes of the variables is given, and holds no more. */
  branch(work: () => void): BranchAssignments {
    const outer = this.#branchStart;
    const before = new Map<string, InferredType | undefined>();
    this.#branchStart = before;
    work();
    const branchEnd = new Map([...before.keys()].map((name) => [name, this.#currentTypes.get(name)]));
    this.#branchStart = undefined;
    for (const [name, known] of before) this.#set(name, known);
    this.#branchStart = outer;
    return branchEnd;
  }

  /** Goes on where one of several ways led here. Of a variable that is known on more than one, the first counts. */
  merge(branches: readonly BranchAssignments[]): void {
    for (const name of new Set(branches.flatMap((branch) => [...branch.keys()]))) {
      const here = this.#currentTypes.get(name);
      const known = branches.map((branch) => (branch.has(name) ? branch.get(name) : here));
      this.#set(
        name,
        known.find((value) => value !== undefined),
      );
    }
  }

  #set(name: string, type: InferredType | undefined): void {
    if (this.#branchStart && !this.#branchStart.has(name)) this.#branchStart.set(name, this.#currentTypes.get(name));
    if (type) this.#currentTypes.set(name, type);
    else this.#currentTypes.delete(name);
  }

  #scopeOf(name: string): { scope: Scope; isOuter: boolean } | undefined {
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
