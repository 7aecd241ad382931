import type { Comprehension, Expression, FunctionBody, Span, Statement, Target } from "../parser/ast.ts";
import type { InferredType } from "./inferred-type.ts";
import type { Scope, BranchAssignments } from "./scope.ts";

/** The tables of a document and their column types. */
export interface DocumentTables extends KnownTables {
  readonly tableById: ReadonlyMap<string, DocumentTable>;
}

/** Which names are tables. One without columns, which `get` does not return, is a table of unknown columns. */
export interface KnownTables {
  readonly tableById: Pick<ReadonlyMap<string, DocumentTable>, "get" | "has">;
}

interface DocumentTable {
  readonly columnById: ReadonlyMap<string, DocumentColumn>;
}

export interface DocumentColumn {
  /** As in the metadata: `Ref:People`. */
  readonly type: string;
  readonly isFormula: boolean;
  readonly formula: string;
}

/** A single pass over a formula, in the order of evaluation. */
export interface WalkContext {
  /** The prepared text of the formula. */
  readonly text: string;
  readonly tables: KnownTables;
  /** The scope of the function, class or comprehension that is being visited. */
  readonly scope: Scope;
  /** Returns the type of an expression and adds the names in it. */
  visit(node: Expression): InferredType | undefined;
  visitOptional(node: Expression | null): InferredType | undefined;
  /** Returns the type of a function defined here. */
  visitFunction(fn: FunctionBody): InferredType;
  /** Returns the result of `work`, which visits a nested scope. */
  within<T>(owner: FunctionBody | Comprehension | Statement, locals: readonly string[], work: () => T): T;
  bind(target: Target, type: InferredType | undefined): void;
  /** Adds a result type of the function that is being visited. */
  addReturnType(type: InferredType | undefined): void;
  /** Returns the types that the previous iteration of a loop assigned to variables, from an earlier pass. */
  previousIteration(loop: Statement): BranchAssignments;
  recordIteration(loop: Statement, iteration: BranchAssignments): void;
  addTableReference(span: Span, table: string): void;
  addColumnReference(span: Span, table: string, column: string): void;
  addAttributeReference(span: Span, name: string): void;
  /** Returns the type of a column's cells. */
  cellType(table: string, column: string): InferredType | undefined;
  /** The types of names that are not variables. */
  readonly globals: ReadonlyMap<string, InferredType>;
}
