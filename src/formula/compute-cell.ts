import type { CellValue } from "../values/cell.ts";
import type { ColumnType } from "../values/column-type.ts";
import { errorToCell, pythonToCell } from "./conversion.ts";
import { isNotSupported, PyError } from "./errors.ts";
import type { CompiledFormula } from "./formula.ts";
import type { PyValue } from "./values.ts";

/**
 * The cell of a formula column for one row, whose other cells `read` gives (see CompiledFormula.run); undefined when
 * the formula is one that cannot be evaluated here, so that a stored value, if there is one, must stay.
 */
export function computeCell(
  formula: CompiledFormula,
  read: (colId: string) => PyValue,
  type: ColumnType,
): CellValue | undefined {
  if (formula.blank) return type.defaultValue;
  if (!formula.supported) return undefined;
  try {
    return pythonToCell(formula.run(read), type);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    return isNotSupported(error) ? undefined : errorToCell(error);
  }
}
