import { type Limits, withCellBudget } from "./runtime/budget.ts";
import { GLOBALS } from "./builtins/registry.ts";
import { type CompiledTree, compileTree } from "./compiler/compile.ts";
import type { Trace } from "./compiler/compiler.ts";
import { errorFromEngine, isNotSupported, PyError } from "./runtime/errors.ts";
import { parseFormula } from "./parser/parse.ts";
import { ReadsCollector } from "./compiler/reads-collector.ts";
import { prepareSource } from "./parser/source.ts";
import type { FormulaReads, FormulaRow } from "./formula-row.ts";
import type { PyValue } from "./runtime/values.ts";

/** What is wrong with a formula whatever row it is for. */
export interface FormulaSyntaxProblem {
  /** `SyntaxError` */
  readonly error: string;
  readonly detail: string;
  /** From 1; null when it is not known. */
  readonly line: number | null;
}

/** A formula, ready to be evaluated row by row. */
export interface CompiledFormula {
  readonly text: string;
  /** What its text tells about the cells that it reads. */
  readonly reads: FormulaReads;
  /** False for valid Python that this program does not evaluate: the stored values are then all there is. */
  readonly supported: boolean;
  /** True when there is no formula at all: the column then holds its type's default. */
  readonly blank: boolean;
  /** Why it cannot be computed for any row; undefined when it could be read. */
  readonly broken?: FormulaSyntaxProblem | undefined;
  /**
   * Evaluates it for a row. Throws PyError, and nothing else that is due to the formula. An error for which
   * `isNotSupported` holds means that the value is unknown.
   */
  run(row: FormulaRow): PyValue;
}

export interface CompileOptions {
  /**
   * True for names that are tables. Without it, any unknown name in a capital is taken for one, as tables' names begin
   * so: a formula that may be right must not turn into an error.
   */
  readonly isTable?: (name: string) => boolean;
  /** True for formulas of data columns, which have the names `value` and `user`. */
  readonly isTrigger?: boolean;
  /** What one evaluation may use up; without it what holds for the change under way. */
  readonly limits?: Limits;
  /** Where to note how far the formula came when it is run. */
  readonly trace?: Trace;
}

/** Reads and compiles a formula. Never throws: one that is no Python compiles to its SyntaxError. */
export function compileFormula(text: string, options: CompileOptions = {}): CompiledFormula {
  const { isTable = mayBeTable, isTrigger = false, limits, trace } = options;
  try {
    const formula = parseFormula(prepareSource(text));
    if (formula.kind !== "function") return constantFormula(text, () => null, { blank: formula.kind === "blank" });
    if (trace) trace.offset = formula.fn.body[0]?.from ?? 0;
    const { evaluate, reads } = compileTree(formula.fn, { isTable, isTrigger, trace });
    return { text, reads, supported: true, blank: false, run: runWithLimits(evaluate, limits) };
  } catch (thrown) {
    const error = thrown instanceof RangeError ? errorFromEngine(thrown) : thrown;
    if (!(error instanceof PyError)) throw error;
    const { typeName, message, details, catchable } = error;
    const fail = () => {
      throw new PyError(typeName, message, { details, catchable });
    };
    const line = /\(line (\d+)\)$/.exec(message)?.[1];
    const broken = { error: typeName, detail: message, line: line === undefined ? null : Number(line) };
    return { ...constantFormula(text, fail, { supported: !isNotSupported(error) }), broken };
  }
}

function mayBeTable(name: string): boolean {
  return /^[A-Z]/.test(name) && !GLOBALS.has(name);
}

function constantFormula(text: string, run: () => PyValue, { supported = true, blank = false }): CompiledFormula {
  return { text, reads: new ReadsCollector(), supported, blank, run };
}

function runWithLimits(evaluate: CompiledTree["evaluate"], limits: Limits | undefined): CompiledFormula["run"] {
  return (row) => {
    try {
      return withCellBudget(limits, () => evaluate(row));
    } catch (error) {
      throw error instanceof RangeError ? errorFromEngine(error) : error;
    }
  };
}

/** The line of a formula, from 1, in which a place lies that a trace tells. */
export const lineOf = (text: string, offset: number): number =>
  prepareSource(text).text.slice(0, offset).split("\n").length;
