import type { RecordJson } from "../../../../base/table-data.ts";
import type { Sheet } from "../sheet.ts";

/** Returns the cells that a new row has in common with the group of the active row. */
export function groupCells(sheet: Sheet): RecordJson["fields"] {
  const row = sheet.grouping.geometry === null ? undefined : sheet.activeRow;
  const columns = sheet.grouping.keys.filter(({ column }) => sheet.canEditCells(column));
  return row ? Object.fromEntries(columns.map(({ column: { id } }) => [id, row.fields[id] ?? null])) : {};
}
