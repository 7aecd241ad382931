import { Recent } from "../lib/recent.ts";
import { CODES, isCoded, isList, type CellValue } from "../values/cell.ts";
import { joinRow } from "../values/csv-row.ts";
import { cellFormatter } from "../values/format.ts";
import type { ParseSettings } from "../values/column-type.ts";
import type { ExportedColumn, ExportedRow, ShownAs } from "./exported.ts";

/** Makes the function that shows a column's cells as people see them. */
export function cellTexts(column: ExportedColumn, settings: ParseSettings): (row: ExportedRow) => string {
  const own = formatter(column, settings);
  if (!column.shown) return (row) => own(column.cell(row));
  const shown = shownTexts(column.shown, formatter(column.shown, settings));
  return (row) => {
    const value = column.cell(row);
    return isReference(value) ? shown(row) : own(value);
  };
}

/** What references show, in the form of `format`; several are joined. */
export function shownTexts(shown: ShownAs, format: (value: CellValue) => string): (row: ExportedRow) => string {
  return (row) => {
    const value = shown.cell(row);
    // A list in the shown column itself is joined in the same way.
    return isList(value) ? joinRow(value.slice(1).map((item) => format(untyped(item)))) : format(untyped(value));
  };
}

/** What is shown comes from formulas, which tell dates and references by codes; columns have them plain. */
function untyped(value: unknown): CellValue {
  if (!isCoded(value)) return value as CellValue;
  const [code, first, second] = value;
  if (code === CODES.date || code === CODES.dateTime) return Number(first);
  return code === CODES.reference && typeof second === "number" ? second : value;
}

/** True for what a fitting cell of references holds; anything else has nothing to show but itself. */
export const isReference = (value: CellValue): boolean => value === null || typeof value === "number" || isList(value);

function formatter({ type, options }: ShownAs, settings: ParseSettings): (value: CellValue) => string {
  const format = cellFormatter(type, { ...settings, widgetOptions: options });
  return type.base === "Date" || type.base === "DateTime" ? remembering(format) : format;
}

/** So many values of a column are remembered with their texts. */
const REMEMBERED = 4096;

/** Dates repeat within a column, and writing them takes long. */
function remembering(format: (value: CellValue) => string): (value: CellValue) => string {
  const texts = new Recent<number, string>({ most: REMEMBERED });
  return (value) => (typeof value === "number" ? texts.get(value, format) : format(value));
}
