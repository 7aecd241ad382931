import type { Expression, Statement } from "../parser/ast.ts";
import type { Evaluate, Execute } from "./frame.ts";
import type { ReadsCollector } from "./reads-collector.ts";
import type { Scope } from "./scope.ts";
import type { Assign } from "./variables.ts";

/** How far a formula came: where the statement begins that was executed last. */
export interface Trace {
  offset: number;
}

/** Compiles what stands in one scope. All its methods throw PyError NotImplementedError for what is not built. */
export interface Compiler {
  readonly scope: Scope;
  /** Where to note how far the formula came; undefined mostly. */
  readonly trace: Trace | undefined;
  /** What the formula reads, as far as it was compiled. */
  readonly reads: ReadsCollector;
  /** For what stands in a scope within this one. */
  nestedCompiler(kind: Scope["kind"], names: readonly string[]): Compiler;
  compile(node: Expression): Evaluate;
  compileAll(nodes: readonly Expression[]): Evaluate[];
  /** The value, or None where there is no expression. */
  compileOptional(node: Expression | null): Evaluate;
  /** Statements that are executed one after the other. */
  compileBlock(statements: readonly Statement[]): Execute;
  compileStatement(statement: Statement): Execute;
  /** What a name stands for: a variable, a function of ours, or a table, which hides the function of its name. */
  compileName(name: string): Evaluate;
  /** Sets the variable of a name. Throws PyError SyntaxError for one that is nobody's. */
  compileAssign(name: string): Assign;
  /** True for names that no variable and no table of the document has. */
  isGlobal(name: string): boolean;
}
