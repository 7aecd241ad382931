import type { Comprehension, Expression, FunctionBody, Span, Statement, Target } from "../ast.ts";
import type { Known } from "./known.ts";
import type { Scope, Way } from "./scope.ts";

/** What is known of the tables of a document. */
export interface NamedTables {
  readonly tableById: ReadonlyMap<string, NamedTable>;
}

interface NamedTable {
  readonly columnById: ReadonlyMap<string, NamedColumn>;
}

export interface NamedColumn {
  /** As in the metadata: `Ref:People`. */
  readonly type: string;
  readonly isFormula: boolean;
  readonly formula: string;
}

/** Goes through a formula once, in the order in which it is computed. */
export interface Walk {
  /** Of the formula, prepared. */
  readonly text: string;
  readonly tables: NamedTables;
  /** Of the function, class or comprehension that is being read. */
  readonly scope: Scope;
  /** What is known of an expression, whose names are noted. */
  visit(node: Expression): Known | undefined;
  visitMaybe(node: Expression | null): Known | undefined;
  /** What is known of a function that is defined here. */
  visitFunction(fn: FunctionBody): Known;
  /** What `work` gives, which goes through what has names of its own. */
  within<T>(owner: FunctionBody | Comprehension | Statement, locals: readonly string[], work: () => T): T;
  bind(target: Target, known: Known | undefined): void;
  /** Takes note of what the function that is being read gives. */
  give(known: Known | undefined): void;
  /** What a turn of a loop made of variables when it was gone through before. */
  turnOf(loop: Statement): Way;
  setTurn(loop: Statement, turn: Way): void;
  noteTable(span: Span, table: string): void;
  noteColumn(span: Span, table: string, column: string): void;
  noteAttribute(span: Span, name: string): void;
  /** What is known of the cells of a column. */
  cellsOf(table: string, column: string): Known | undefined;
  /** What stands by a name that is no variable. */
  readonly globals: ReadonlyMap<string, Known>;
}
