import type { Expression, FunctionBody } from "../parser/ast.ts";
import { isOnly, NULL } from "./kinds.ts";
import type { RowWriter, Value } from "./row-writer.ts";

/** A formula as the generator needs it. */
export interface FormulaTree {
  readonly fn: FunctionBody;
  /** Recognizes table names, which shadow functions. */
  readonly isTable: (name: string) => boolean;
}

/** Generates the code of one formula. Methods throw NotSimple for all that is left to the interpreter. */
export interface RowGenerator {
  readonly writer: RowWriter;
  expression(node: Expression): Value;
  /** Returns a JavaScript condition for Python's truth value of an expression. */
  truth(node: Expression): string;
  /** Returns true for names that are neither variables nor tables. */
  isGlobal(name: string): boolean;
  readColumn(name: string): Value;
  readVariable(name: string): Value;
  assign(name: string, value: Value): void;
}

/** Returns a value that is known to be truthy. */
export const truthy = (value: Value): Value =>
  isOnly(value.kinds, NULL) ? value : { ...value, kinds: value.kinds & ~NULL };
