import { columnType } from "../../src/values/column-type.ts";
import { pythonToCell } from "../../src/formula/python-to-cell.ts";
import { PyError } from "../../src/formula/runtime/errors.ts";
import { compileFormula } from "../../src/formula/formula.ts";
import { rowOf } from "./evaluate.ts";

/** Returns a formula's cell as JSON, or the type name of its error. Throws on errors other than PyError. */
export function outcome(text: string, limits = { steps: 2_000_000, bytes: 8 * 1024 * 1024 }): string {
  try {
    const value = compileFormula(text, { limits, isTable: () => false }).run(rowOf(() => "cell"));
    return JSON.stringify(pythonToCell(value, columnType("Any")));
  } catch (error) {
    if (error instanceof PyError) return error.typeName;
    throw error;
  }
}
