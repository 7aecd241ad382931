import type { Comprehension, Expression, FunctionBody, Span, Statement, Target } from "../parser/ast.ts";
import type { Source } from "../parser/source.ts";
import { visitExpression } from "./visit-expression.ts";
import { firstKnown, type InferredType } from "./inferred-type.ts";
import type { NameReference } from "./name-references.ts";
import { Scope, type BranchAssignments } from "./scope.ts";
import { bindTarget, walkStatements } from "./walk-statements.ts";
import type { KnownTables, WalkContext } from "./walk-context.ts";

type Owner = FunctionBody | Comprehension | Statement;

/** The input of a walk. */
export interface WalkerInput {
  readonly tables: KnownTables;
  readonly globals: ReadonlyMap<string, InferredType>;
  cellType(table: string, column: string): InferredType | undefined;
}

/** Enough passes for types that one loop iteration passes on to the next. */
const MAX_PASSES = 5;

/** Walks one formula and infers types. */
export class FormulaWalker implements WalkContext {
  readonly text: string;
  readonly tables: KnownTables;
  readonly globals: ReadonlyMap<string, InferredType>;
  readonly cellType: WalkContext["cellType"];
  readonly #source: Source;
  readonly #references = new Map<number, NameReference>();
  /** All types assigned to a variable in any pass, by owner. */
  readonly #assignedTypes = new Map<Owner, Map<string, InferredType>>();
  readonly #iterations = new Map<Statement, BranchAssignments>();
  /** True when code was visited before a type that it depends on was inferred, as in loops and functions. */
  #needsAnotherPass = false;
  #inferredCount = 0;
  #scope: Scope | undefined;
  #returnType: InferredType | undefined;

  constructor(source: Source, { tables, globals, cellType }: WalkerInput) {
    this.#source = source;
    this.text = source.text;
    this.tables = tables;
    this.globals = globals;
    this.cellType = cellType;
  }

  /** Walks the formula until no new types are inferred. Returns the inferred type of its result. */
  walk(fn: FunctionBody): InferredType | undefined {
    let known: InferredType | undefined;
    let before: number;
    let passes = 0;
    do {
      before = this.#inferredCount;
      this.#references.clear();
      known = this.#body(fn);
      passes++;
    } while (this.#needsAnotherPass && this.#inferredCount > before && passes < MAX_PASSES);
    return known;
  }

  /** All references found, in text order. */
  get references(): NameReference[] {
    return [...this.#references.values()].toSorted((left, right) => left.from - right.from);
  }

  get scope(): Scope {
    if (!this.#scope) throw new Error("Nothing is being read");
    return this.#scope;
  }

  visit(node: Expression): InferredType | undefined {
    return visitExpression(this, node);
  }

  visitOptional(node: Expression | null): InferredType | undefined {
    return node ? visitExpression(this, node) : undefined;
  }

  visitFunction(fn: FunctionBody): InferredType {
    this.#needsAnotherPass = true;
    for (const { defaultValue } of [...fn.parameters.names, ...fn.parameters.keywordOnly])
      this.visitOptional(defaultValue);
    const gives = this.#body(fn);
    return { kind: "function", gives: fn.isGenerator ? undefined : gives };
  }

  within<T>(owner: Owner, locals: readonly string[], work: () => T): T {
    const outer = this.#scope;
    const assignedTypes = this.#assignedTypes.get(owner) ?? new Map<string, InferredType>();
    this.#assignedTypes.set(owner, assignedTypes);
    this.#scope = new Scope(kindOf(owner), locals, {
      outer,
      assignedTypes,
      onAssign: (name, type) => {
        if (assignedTypes.has(name)) return;
        assignedTypes.set(name, type);
        this.#inferredCount++;
      },
    });
    const result = work();
    this.#scope = outer;
    return result;
  }

  bind(target: Target, type: InferredType | undefined): void {
    bindTarget(this, target, type);
  }

  addReturnType(type: InferredType | undefined): void {
    this.#returnType = firstKnown(this.#returnType, type);
  }

  previousIteration(loop: Statement): BranchAssignments {
    this.#needsAnotherPass = true;
    return this.#iterations.get(loop) ?? new Map();
  }

  recordIteration(loop: Statement, iteration: BranchAssignments): void {
    const before = this.previousIteration(loop);
    for (const [name, known] of iteration) if (known && !before.get(name)) this.#inferredCount++;
    this.#iterations.set(loop, iteration);
  }

  addTableReference(span: Span, table: string): void {
    this.#addReference({ kind: "table", table, ...this.#original(span) });
  }

  addColumnReference(span: Span, table: string, column: string): void {
    this.#addReference({ kind: "column", table, column, ...this.#original(span) });
  }

  addAttributeReference(span: Span, name: string): void {
    this.#addReference({ kind: "attribute", name, ...this.#original(span) });
  }

  #addReference(reference: NameReference): void {
    this.#references.set(reference.from, reference);
  }

  #body(fn: FunctionBody): InferredType | undefined {
    const outer = this.#returnType;
    this.#returnType = undefined;
    this.within(fn, fn.locals, () => walkStatements(this, fn.body));
    const returnType = this.#returnType;
    this.#returnType = outer;
    return returnType;
  }

  /** Names do not span lines, so their length is unchanged. */
  #original({ from, to }: Span): Span {
    const start = this.#source.toOriginal(from);
    return { from: start, to: start + to - from };
  }
}

function kindOf(owner: Owner): Scope["kind"] {
  if (!("kind" in owner)) return "function";
  return owner.kind === "comprehension" ? "comprehension" : "class";
}
