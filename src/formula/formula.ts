import { DEFAULT_LIMITS, type Limits, withBudget } from "./budget.ts";
import { compileExpression, type Evaluate } from "./compile.ts";
import { isNotSupported, notSupported, PyError } from "./errors.ts";
import { FUNCTIONS } from "./functions/registry.ts";
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
    if (formula.kind === "statements") throw notSupported(formula.what);
    if (formula.kind !== "expression") return constant(() => null, { blank: formula.kind === "blank" });
    const { evaluate, columns } = compileExpression(formula.expression, isTable);
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
  return /^[A-Z]/.test(name) && !FUNCTIONS.has(name);
}

function constant(run: () => PyValue, { supported = true, blank = false }): CompiledFormula {
  return { columns: new Set(), supported, blank, run };
}

function runner(evaluate: Evaluate, limits: Limits): CompiledFormula["run"] {
  return (read) => {
    try {
      return withBudget(limits, () => evaluate({ read }));
    } catch (error) {
      throw error instanceof RangeError ? fromEngine(error) : error;
    }
  };
}

/** What the engine refuses: a stack that is too deep, or a value that is too big. */
function fromEngine(error: RangeError): PyError {
  return /stack/i.test(error.message)
    ? new PyError("RecursionError", "the formula is nested too deeply", { catchable: false })
    : new PyError("MemoryError", "the formula needs too much memory", { catchable: false });
}
