import type { Comprehension, Expression, FunctionBody, Span, Statement, Target } from "../parser/ast.ts";
import type { InferredType } from "./inferred-type.ts";
import type { Scope, BranchAssignments } from "./scope.ts";

/** What is known of the tables of a document. */
export interface DocumentTables {
  readonly tableById: ReadonlyMap<string, DocumentTable>;
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

/** Goes through a formula once, in the order in which it is computed. */
export interface WalkContext {
  /** Of the formula, prepared. */
  readonly text: string;
  readonly tables: DocumentTables;
  /** Of the function, class or comprehension that is being read. */
  readonly scope: Scope;
  /** What is known of an expression, whose names are noted. */
  visit(node: Expression): InferredType | undefined;
  visitOptional(node: Expression | null): InferredType | undefined;
  /** What is known of a function that is defined here. */
  visitFunction(fn: FunctionBody): InferredType;
  /** What `work` gives, which goes through what has names of its own. */
  within<T>(owner: FunctionBody | Comprehension | Statement, locals: readonly string[], work: () => T): T;
  bind(target: Target, type: InferredType | undefined): void;
  /** Takes note of what the function that is being read gives. */
  addReturnType(type: InferredType | undefined): void;
  /** What a turn of a loop made of variables when it was gone through before. */
  previousIteration(loop: Statement): BranchAssignments;
  recordIteration(loop: Statement, iteration: BranchAssignments): void;
  addTableReference(span: Span, table: string): void;
  addColumnReference(span: Span, table: string, column: string): void;
  addAttributeReference(span: Span, name: string): void;
  /** What is known of the cells of a column. */
  cellType(table: string, column: string): InferredType | undefined;
  /** What stands by a name that is no variable. */
  readonly globals: ReadonlyMap<string, InferredType>;
}
