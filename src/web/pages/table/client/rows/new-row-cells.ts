import type { RecordJson } from "../../../../base/table-data.ts";
import type { Sheet } from "../sheet.ts";

/** Returns the cells of a new row: those of the link that selects the rows, and of the group of the active row. */
export function newRowCells(sheet: Sheet): RecordJson["fields"] {
  const row = sheet.grouping.geometry === null ? undefined : sheet.activeRow;
  const columns = sheet.grouping.keys.filter(({ column }) => sheet.canEditCells(column));
  const cells: Record<string, unknown> = { ...sheet.link.values };
  if (row) for (const { column } of columns) cells[column.id] = row.fields[column.id] ?? null;
  return cells;
}
