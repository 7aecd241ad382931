import { type Limits, withCellBudget } from "./runtime/budget.ts";
import { GLOBALS } from "./builtins/registry.ts";
import { type CompiledTree, compileTree } from "./compiler/compile.ts";
import type { Trace } from "./compiler/compiler.ts";
import { errorFromEngine, isNotSupported, PyError } from "./runtime/errors.ts";
import { parseFormula } from "./parser/parse.ts";
import { ReadsCollector } from "./compiler/reads-collector.ts";
import { prepareSource } from "./parser/source.ts";
import type { FormulaTree } from "./codegen/row-generator.ts";
import type { FormulaReads, FormulaRow } from "./formula-row.ts";
import type { PyValue } from "./runtime/values.ts";

/** An error of a formula that does not depend on the row. */
export interface FormulaSyntaxProblem {
  /** `SyntaxError` */
  readonly error: string;
  readonly detail: string;
  /** Starts at 1; null when unknown. */
  readonly line: number | null;
}

/** A compiled formula, which can be evaluated for any row. */
export interface CompiledFormula {
  readonly text: string;
  /** The reads that are known from its text. */
  readonly reads: FormulaReads;
  /** False for valid Python that this implementation does not support: the column keeps its stored values. */
  readonly supported: boolean;
  /** True for an empty formula: the column then holds its type's default. */
  readonly blank: boolean;
  /** The syntax error; undefined for a formula that compiles. */
  readonly broken?: FormulaSyntaxProblem | undefined;
  /** What a row function is generated from; undefined for formulas that only the interpreter evaluates. */
  readonly tree?: FormulaTree | undefined;
  /**
   * Evaluates the formula for a row. Throws only PyError for errors of the formula. An error for which `isNotSupported`
   * holds means that the value is unknown.
   */
  run(row: FormulaRow): PyValue;
}

export interface CompileOptions {
  /**
   * Returns true for table names. Without it, every unknown capitalized name counts as a table, as table names are
   * capitalized: a formula that may be valid must not become an error.
   */
  readonly isTable?: (name: string) => boolean;
  /** True for formulas of data columns, which can use `value` and `user`. */
  readonly isTrigger?: boolean;
  /** Limits of one evaluation; defaults to those of the current change. */
  readonly limits?: Limits;
  /** Records the position of each statement that runs. */
  readonly trace?: Trace;
}

/** Parses and compiles a formula. Never throws: an invalid formula compiles to its SyntaxError. */
export function compileFormula(text: string, options: CompileOptions = {}): CompiledFormula {
  const { isTable = mayBeTable, isTrigger = false, limits, trace } = options;
  try {
    const formula = parseFormula(prepareSource(text));
    if (formula.kind !== "function") return constantFormula(text, () => null, { blank: formula.kind === "blank" });
    if (trace) trace.offset = formula.fn.body[0]?.from ?? 0;
    const { evaluate, reads } = compileTree(formula.fn, { isTable, isTrigger, trace });
    // A row function has neither limits of its own nor a trace. Cells of trigger formulas hold the messages of errors.
    const tree = limits || trace || isTrigger ? undefined : { fn: formula.fn, isTable };
    return { text, reads, supported: true, blank: false, run: runWithLimits(evaluate, limits), tree };
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

/** Returns true for a name that is that of a table, if it has a meaning. */
export function mayBeTable(name: string): boolean {
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

/** Returns the line, starting at 1, of an offset recorded by a trace. */
export const lineOf = (text: string, offset: number): number =>
  prepareSource(text).text.slice(0, offset).split("\n").length;
