import { type InferredType, asIndirect } from "./inferred-type.ts";

/** Inferred types of variables by name. */
export type VariableTypes = ReadonlyMap<string, InferredType>;

/** The types that one branch assigns to variables, at its end. */
export type BranchAssignments = ReadonlyMap<string, InferredType | undefined>;

/** The names of a function, a class or a comprehension, and their types at the current position of the walk. */
export class Scope {
  readonly kind: "function" | "class" | "comprehension";
  readonly #outer: Scope | undefined;
  readonly #names: ReadonlySet<string>;
  readonly #onAssign: (name: string, type: InferredType) => void;
  readonly #assignedTypes: VariableTypes;
  readonly #currentTypes = new Map<string, InferredType>();
  /** The types, before the current branch, of the variables that it assigns. */
  #branchStart: Map<string, InferredType | undefined> | undefined;

  /** `assignedTypes` are the types assigned anywhere; `learn` adds to them. */
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

  /** Returns the type of a variable; null when no scope has such a name. */
  find(name: string): InferredType | undefined | null {
    const owner = this.#scopeOf(name);
    if (!owner) return null;
    const { scope, isOuter } = owner;
    // A function runs after its definition, so later assignments to outer variables count.
    return scope.#currentTypes.get(name) ?? (isOuter ? scope.#assignedTypes.get(name) : undefined);
  }

  assign(name: string, type: InferredType | undefined): void {
    const scope = this.#scopeOf(name)?.scope;
    if (!scope) return;
    const value = asIndirect(type);
    scope.#set(name, value);
    if (value) scope.#onAssign(name, value);
  }

  /** Walks a branch and restores the state; returns the types that it assigned. */
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

  /** Continues after one of several branches. If a variable's type is known in more than one, the first wins. */
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
      // Names of a class are visible in its body only, not in its methods.
      if (scope.kind !== "class" && scope.#names.has(name)) return { scope, isOuter };
      isOuter ||= scope.kind === "function";
    }
    return undefined;
  }
}
