import { isList, type CellValue } from "../../values/cell.ts";
import { DAY_S } from "../../values/calendar.ts";
import { cellFormatter } from "../../values/cell-formatter.ts";
import type { ParseSettings } from "../../values/column-type.ts";
import { zoneOrUtc } from "../../values/zones.ts";
import { columnFormatter, isReference, displayFormatter } from "../column-formatter.ts";
import type { ExportedColumn, ExportedRow } from "../exported-table.ts";
import type { StyleRegistry } from "./styles.ts";
import { escapeXmlText } from "./xml-escape.ts";

/** Returns the XML of a cell with a reference such as `B7`; empty for an empty cell. */
export type CellXmlWriter = (row: ExportedRow, reference: string) => string;

/** Maximum number of characters of a cell's text. */
const MAX_TEXT_LENGTH = 32_767;
/** January 1, 1970 as a serial date of spreadsheets. */
const EPOCH_SERIAL = 25_569;

/** Returns a text cell, truncated to the maximum length. */
export const textCell =
  (text: string) =>
  (reference: string, style = 0): string =>
    `<c r="${reference}"${styled(style)} t="inlineStr"><is><t xml:space="preserve">${escapeXmlText(text.slice(0, MAX_TEXT_LENGTH))}</t></is></c>`;

/**
 * Returns the function that writes a column's cells: numbers, booleans and dates as typed cells, all others as text.
 */
export function cellXmlWriter(column: ExportedColumn, settings: ParseSettings, styles: StyleRegistry): CellXmlWriter {
  const text = otherCellText(column, settings);
  const texts: CellXmlWriter = (row, reference) => {
    const shown = text(row);
    return shown === "" ? "" : textCell(shown)(reference);
  };
  const { cell, type } = column;
  switch (type.base) {
    case "Numeric":
    case "Int":
    case "Id":
    case "PositionNumber":
    case "ManualSortPos":
      return numberCellWriter(column, { style: styles.numberStyle(column, settings), scale: (value) => value, texts });
    case "Date":
      return numberCellWriter(column, { style: constant(styles.dateStyle(column)), scale: serialDate, texts });
    case "DateTime": {
      const zone = zoneOrUtc(type.zone);
      const scale = (seconds: number): number => serialDate(seconds + zone.offsetAt(seconds));
      return numberCellWriter(column, { style: constant(styles.dateStyle(column)), scale, texts });
    }
    case "Bool":
      return (row, reference) => {
        const value = cell(row);
        return typeof value === "boolean"
          ? `<c r="${reference}" t="b"><v>${Number(value)}</v></c>`
          : texts(row, reference);
      };
    case "Attachments":
      return () => "";
    default:
      return texts;
  }
}

/** Serial dates include a February 29, 1900, which never existed: days before it are one less. */
function serialDate(seconds: number): number {
  const day = seconds / DAY_S + EPOCH_SERIAL;
  return day < 61 ? day - 1 : day;
}

function numberCellWriter(
  { cell, type }: ExportedColumn,
  { style, scale, texts }: { style: (value: number) => number; scale: (value: number) => number; texts: CellXmlWriter },
): CellXmlWriter {
  const isDate = type.base === "Date" || type.base === "DateTime";
  return (row, reference) => {
    const value = cell(row);
    if (typeof value !== "number") return texts(row, reference);
    const number = scale(value);
    // Spreadsheets have no infinities, and no days before 1900.
    if (!Number.isFinite(number) || (isDate && number < 1)) return texts(row, reference);
    return `<c r="${reference}"${styled(style(value))}><v>${number}</v></c>`;
  };
}

const constant = (style: number) => (): number => style;

const styled = (style: number): string => (style === 0 ? "" : ` s="${style}"`);

/** Returns the function that formats cells written as text: as displayed, except for lists and references. */
function otherCellText(column: ExportedColumn, settings: ParseSettings): (row: ExportedRow) => string {
  const { cell, displayColumn, type } = column;
  const usual = columnFormatter(column, settings);
  if (type.base === "ChoiceList") {
    return (row) => {
      const value = cell(row);
      return isList(value) ? value.slice(1).map(String).join("; ") : usual(row);
    };
  }
  if (type.base !== "Ref" && type.base !== "RefList") return usual;
  const plain = displayColumn
    ? // Not in the displayed column's own format: values for programs have one format everywhere.
      displayFormatter(displayColumn, cellFormatter(displayColumn.type, settings))
    : (row: ExportedRow) => idText(cell(row));
  return (row) => (isReference(cell(row)) ? plain(row) : usual(row));
}

function idText(value: CellValue): string {
  if (value === null) return "";
  return isList(value) ? value.slice(1).join(", ") : String(value);
}
