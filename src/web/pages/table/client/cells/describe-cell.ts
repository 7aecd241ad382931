import { isErrorCell } from "../../../../../values/cell.ts";
import type { CellDescription } from "../../../../base/client/grid/grid.ts";
import type { CellPosition } from "../../../../base/client/grid/selection.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { t } from "../../../../base/client/texts.ts";
import { cellValue, type Column, isInvalidValue } from "../columns/columns.ts";
import type { ErrorDetails } from "./error-words.ts";
import { valueText } from "./cell-renderers.ts";
import { type StyleRule, styleOfCell } from "./conditional-styles.ts";

interface DescribedTable {
  readonly shown: readonly Column[];
  readonly grid: { readonly blankRow: number | null };
  readonly rowPages: { rowAt(at: number): RecordJson | undefined };
  readonly errorDetails: ErrorDetails;
  readonly rowRules: readonly StyleRule[];
  canEditCells(column: Column): boolean;
}

/**
 * Returns how assistive technology names a cell: its column and value; null while it is not loaded.
 * @param statusId the element that explains a wrong value
 */
export function describeCell(
  sheet: DescribedTable,
  { row: at, column: columnAt }: CellPosition,
  statusId: string,
): CellDescription | null {
  const column = sheet.shown[columnAt];
  if (!column) return null;
  const isEditable = sheet.canEditCells(column);
  if (at === sheet.grid.blankRow)
    return { label: t("base.grid.blankCell", { column: column.name }), errorId: null, isEditable };
  const row = sheet.rowPages.rowAt(at);
  if (!row) return null;
  const value = cellValue(row, column.id);
  const cell = t("base.grid.cell", { column: column.name, value: valueText(row, column, sheet.errorDetails) });
  const isWrong = isErrorCell(value) || isInvalidValue(column, value);
  return {
    label: styleOfCell(row, column, sheet.rowRules).isFailed ? t("table.rules.failedCell", { cell }) : cell,
    errorId: isWrong ? statusId : null,
    isEditable,
  };
}
