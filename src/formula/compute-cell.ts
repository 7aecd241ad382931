import type { CellValue } from "../values/cell.ts";
import type { ColumnType } from "../values/column-type.ts";
import { errorToCell, pythonToCell } from "./python-to-cell.ts";
import { PyError } from "./runtime/errors.ts";
import type { CompiledFormula } from "./formula.ts";
import { checkResultSize } from "./runtime/result-size.ts";
import type { FormulaRow } from "./formula-row.ts";
import type { PyValue } from "./runtime/values.ts";

export interface ComputedCell {
  readonly cell: CellValue;
  /** The result; undefined when the formula failed. */
  readonly value?: PyValue;
  readonly error?: PyError;
}

/** Computes the cell of a formula column for one row. Unsupported language features become an error in the cell. */
export function computeCell(formula: CompiledFormula, row: FormulaRow, type: ColumnType): ComputedCell {
  if (formula.blank) return { cell: type.defaultValue };
  try {
    const value = formula.run(row);
    const cell = pythonToCell(value, type);
    checkResultSize(cell);
    return { cell, value };
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    return { cell: errorToCell(error), error };
  }
}
