import type { CellValue } from "../values/cell.ts";
import type { ColumnType } from "../values/column-type.ts";

/** What a cell of a file becomes in a column of the type that was found for it. */
export function importedCell(kind: ColumnType, value: CellValue): CellValue {
  if (kind.base === "Text")
    return value === null ? "" : typeof value === "boolean" ? String(value) : kind.convert(value);
  return kind.convert(typeof value === "string" ? value.trim() : value);
}
