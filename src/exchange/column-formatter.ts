import { BoundedCache } from "../lib/bounded-cache.ts";
import { CELL_CODES, isCoded, isList, type CellValue } from "../values/cell.ts";
import { joinRow } from "../values/csv-row.ts";
import { cellFormatter } from "../values/cell-formatter.ts";
import type { ParseSettings } from "../values/column-type.ts";
import type { ExportedColumn, ExportedRow, CellSource } from "./exported-table.ts";

/** Makes the function that shows a column's cells as people see them. */
export function columnFormatter(column: ExportedColumn, settings: ParseSettings): (row: ExportedRow) => string {
  const ownFormatter = formatter(column, settings);
  if (!column.displayColumn) return (row) => ownFormatter(column.cell(row));
  const shown = displayFormatter(column.displayColumn, formatter(column.displayColumn, settings));
  return (row) => {
    const value = column.cell(row);
    return isReference(value) ? shown(row) : ownFormatter(value);
  };
}

/** What references show, in the form of `format`; several are joined. */
export function displayFormatter(
  shown: CellSource,
  format: (value: CellValue) => string,
): (row: ExportedRow) => string {
  return (row) => {
    const value = shown.cell(row);
    // A list in the shown column itself is joined in the same way.
    return isList(value) ? joinRow(value.slice(1).map((item) => format(plainCell(item)))) : format(plainCell(value));
  };
}

/** What is shown comes from formulas, which tell dates and references by codes; columns have them plain. */
function plainCell(value: unknown): CellValue {
  if (!isCoded(value)) return value as CellValue;
  const [code, first, second] = value;
  if (code === CELL_CODES.date || code === CELL_CODES.dateTime) return Number(first);
  return code === CELL_CODES.reference && typeof second === "number" ? second : value;
}

/** True for what a fitting cell of references holds; anything else has nothing to show but itself. */
export const isReference = (value: CellValue): boolean => value === null || typeof value === "number" || isList(value);

function formatter({ type, options }: CellSource, settings: ParseSettings): (value: CellValue) => string {
  const format = cellFormatter(type, { ...settings, widgetOptions: options });
  return type.base === "Date" || type.base === "DateTime" ? cachedFormatter(format) : format;
}

/** So many values of a column are remembered with their texts. */
const MAX_CACHED_TEXTS = 4096;

/** Dates repeat within a column, and writing them takes long. */
function cachedFormatter(format: (value: CellValue) => string): (value: CellValue) => string {
  const texts = new BoundedCache<number, string>({ maxEntries: MAX_CACHED_TEXTS });
  return (value) => (typeof value === "number" ? texts.get(value, format) : format(value));
}
