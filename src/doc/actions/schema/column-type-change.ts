import type { CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { CatalogColumn } from "../catalog.ts";
import type { Change } from "../change.ts";
import type { ColumnSpec } from "../doc-action.ts";
import { readRows } from "../row-storage.ts";

/** Changes the type of a column and converts its cells with `convert`. */
export function changeType(
  change: Change,
  table: string,
  column: CatalogColumn,
  { spec, convert }: { spec: Partial<ColumnSpec>; convert: (value: CellValue) => CellValue },
): void {
  const { ids, cells } = readRows(change.db, table, [column]);
  const values = (cells[0] ?? []).map(convert);
  change.apply(["ModifyColumn", table, column.id, spec]);
  if (ids.length > 0) change.apply(["BulkUpdateRecord", table, ids, { [column.id]: values }]);
}

/** Returns the cell conversion for a change of a column's type. */
export function typeConversion(from: string, to: string): (value: CellValue) => CellValue {
  const before = columnType(from);
  const after = columnType(to);
  return (value) => after.convert(value, { mode: "typeChange", from: before });
}
