import { BoundedCache } from "../lib/bounded-cache.ts";
import { CELL_CODES, isCoded, isList, type CellValue } from "../values/cell.ts";
import { joinRow } from "../values/csv-row.ts";
import { cellFormatter } from "../values/cell-formatter.ts";
import type { ParseSettings } from "../values/column-type.ts";
import type { ExportedColumn, ExportedRow, CellSource } from "./exported-table.ts";

/** Returns the function that formats a column's cells for display. */
export function columnFormatter(column: ExportedColumn, settings: ParseSettings): (row: ExportedRow) => string {
  const ownFormatter = formatter(column, settings);
  if (!column.displayColumn) return (row) => ownFormatter(column.cell(row));
  const shown = displayFormatter(column.displayColumn, formatter(column.displayColumn, settings));
  return (row) => {
    const value = column.cell(row);
    return isReference(value) ? shown(row) : ownFormatter(value);
  };
}

/** Formats the displayed values of references with `format`; joins several. */
export function displayFormatter(
  shown: CellSource,
  format: (value: CellValue) => string,
): (row: ExportedRow) => string {
  return (row) => {
    const value = shown.cell(row);
    // A list in the displayed column itself is joined in the same way.
    return isList(value) ? joinRow(value.slice(1).map((item) => format(plainCell(item)))) : format(plainCell(value));
  };
}

/**
 * Decodes a displayed value. It comes from a formula, where dates and references are coded; columns store them plain.
 */
function plainCell(value: unknown): CellValue {
  if (!isCoded(value)) return value as CellValue;
  const [code, first, second] = value;
  if (code === CELL_CODES.date || code === CELL_CODES.dateTime) return Number(first);
  return code === CELL_CODES.reference && typeof second === "number" ? second : value;
}

/** Returns true for valid cells of a reference column; other values have no displayed value. */
export const isReference = (value: CellValue): boolean => value === null || typeof value === "number" || isList(value);

function formatter({ type, options }: CellSource, settings: ParseSettings): (value: CellValue) => string {
  const format = cellFormatter(type, { ...settings, widgetOptions: options });
  if (type.base === "Date" || type.base === "DateTime") return cachedFormatter(format);
  return type.base === "Numeric" ? withRecentTexts(format) : format;
}

/** Maximum number of formatted values cached per column. */
const MAX_CACHED_TEXTS = 4096;

/** Caches texts: dates repeat within a column, and formatting them is slow. */
function cachedFormatter(format: (value: CellValue) => string): (value: CellValue) => string {
  const texts = new BoundedCache<number, string>({ maxEntries: MAX_CACHED_TEXTS });
  return (value) => (typeof value === "number" ? texts.get(value, format) : format(value));
}

/** Number of recently formatted values per column; a power of two. */
const RECENT_TEXTS = 4096;
const HASH_SHIFT = 20;

/**
 * Caches texts of numbers at the place that their hash selects. Formatting a number takes less than a miss in a map, so
 * that a column without repeated numbers must not pay for one.
 */
function withRecentTexts(format: (value: CellValue) => string): (value: CellValue) => string {
  const values = new Float64Array(RECENT_TEXTS);
  const texts: string[] = Array.from({ length: RECENT_TEXTS }, () => "");
  return (value) => {
    // The two zeros are equal, but not their texts.
    if (typeof value !== "number" || value === 0) return format(value);
    const place = Math.imul(Math.trunc(value * 1024), 0x9e37_79b1) >>> HASH_SHIFT;
    if (values[place] === value) return texts[place] ?? "";
    const text = format(value);
    values[place] = value;
    texts[place] = text;
    return text;
  };
}
