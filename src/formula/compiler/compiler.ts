import type { Expression, Statement } from "../parser/ast.ts";
import type { Evaluate, Execute } from "./frame.ts";
import type { ReadsCollector } from "./reads-collector.ts";
import type { Scope } from "./scope.ts";
import type { Assign } from "./variables.ts";

/** The progress of a formula: the position of the statement that was executed last. */
export interface Trace {
  offset: number;
}

/** Compiles the code of one scope. All its methods throw PyError NotImplementedError for unsupported syntax. */
export interface Compiler {
  readonly scope: Scope;
  /** Records the position of each executed statement; usually undefined. */
  readonly trace: Trace | undefined;
  /** The columns and tables that the code compiled so far reads. */
  readonly reads: ReadsCollector;
  /** Returns a compiler for a nested scope. */
  nestedCompiler(kind: Scope["kind"], names: readonly string[]): Compiler;
  compile(node: Expression): Evaluate;
  compileAll(nodes: readonly Expression[]): Evaluate[];
  /** Compiles an expression; a missing one evaluates to None. */
  compileOptional(node: Expression | null): Evaluate;
  /** Compiles statements that run in order. */
  compileBlock(statements: readonly Statement[]): Execute;
  compileStatement(statement: Statement): Execute;
  /**
   * Compiles a reference to a variable, a built-in function, or a table; a table shadows the built-in function of the
   * same name.
   */
  compileName(name: string): Evaluate;
  /** Compiles an assignment to a name. Throws PyError SyntaxError for names that cannot be assigned. */
  compileAssign(name: string): Assign;
  /** Returns true for names that are neither variables nor tables. */
  isGlobal(name: string): boolean;
}
