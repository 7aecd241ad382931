import { DEFAULT_LIMITS, type Limits, withBudget } from "./budget.ts";
import { GLOBALS } from "./builtins/registry.ts";
import { type Compiled, compileTree } from "./compile.ts";
import { fromEngine, isNotSupported, PyError } from "./errors.ts";
import { parseFormula } from "./parse.ts";
import { readSource } from "./source.ts";
import type { PyValue } from "./values.ts";

/** A formula, ready to be evaluated row by row. */
export interface CompiledFormula {
  /** The columns of its own row that it reads, in the order of first mention. `id` is the row's number. */
  readonly columns: ReadonlySet<string>;
  /** False for valid Python that this program does not evaluate: the stored values are then all there is. */
  readonly supported: boolean;
  /** True when there is no formula at all: the column then holds its type's default. */
  readonly blank: boolean;
  /**
   * Evaluates it for a row, whose cells `read` gives as Python values; it may throw PyError, as for a column that does
   * not exist (`unknownColumn`). Throws PyError, and nothing else that is due to the formula. An error for which
   * `isNotSupported` holds means that the value is unknown.
   */
  run(read: (colId: string) => PyValue): PyValue;
}

export interface CompileOptions {
  /**
   * True for names that are tables. Without it, any unknown name in a capital is taken for one, as tables' names begin
   * so: a formula that may be right must not turn into an error.
   */
  readonly isTable?: (name: string) => boolean;
  readonly limits?: Limits;
}

/** Reads and compiles a formula. Never throws: one that is no Python compiles to its SyntaxError. */
export function compileFormula(text: string, options: CompileOptions = {}): CompiledFormula {
  const { isTable = mayBeTable, limits = DEFAULT_LIMITS } = options;
  try {
    const formula = parseFormula(readSource(text));
    if (formula.kind !== "function") return constant(() => null, { blank: formula.kind === "blank" });
    const { evaluate, columns } = compileTree(formula.fn, isTable);
    return { columns, supported: true, blank: false, run: runner(evaluate, limits) };
  } catch (thrown) {
    const error = thrown instanceof RangeError ? fromEngine(thrown) : thrown;
    if (!(error instanceof PyError)) throw error;
    const { typeName, message, details, catchable } = error;
    const fail = () => {
      throw new PyError(typeName, message, { details, catchable });
    };
    return constant(fail, { supported: !isNotSupported(error) });
  }
}

function mayBeTable(name: string): boolean {
  return /^[A-Z]/.test(name) && !GLOBALS.has(name);
}

function constant(run: () => PyValue, { supported = true, blank = false }): CompiledFormula {
  return { columns: new Set(), supported, blank, run };
}

function runner(evaluate: Compiled["evaluate"], limits: Limits): CompiledFormula["run"] {
  return (read) => {
    try {
      return withBudget(limits, () => evaluate(read));
    } catch (error) {
      throw error instanceof RangeError ? fromEngine(error) : error;
    }
  };
}
