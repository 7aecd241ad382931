import { isList, type CellValue } from "../values/cell.ts";
import { DAY_S } from "../values/calendar.ts";
import { cellFormatter } from "../values/format.ts";
import type { ParseSettings } from "../values/column-type.ts";
import { zoneOrUtc } from "../values/zones.ts";
import { cellTexts, isReference, shownTexts } from "./cell-texts.ts";
import type { ExportedColumn, ExportedRow } from "./exported.ts";
import type { Styles } from "./xlsx-styles.ts";
import { xmlText } from "./xml-text.ts";

/** A cell at a place such as `B7`, as XML; empty where there is nothing to show. */
export type CellXml = (row: ExportedRow, place: string) => string;

/** Characters of a cell's text. */
const TEXT_LENGTH = 32_767;
/** The first of January 1970 as spreadsheets count days. */
const EPOCH_DAY = 25_569;

/** A text in a cell. What a cell cannot take of a longer one is left out. */
export const textCell =
  (text: string) =>
  (place: string, style = 0): string =>
    `<c r="${place}"${styled(style)} t="inlineStr"><is><t xml:space="preserve">${xmlText(text.slice(0, TEXT_LENGTH))}</t></is></c>`;

/** Makes the function that writes a column's cells: numbers, truth values and dates as such, all else as text. */
export function sheetCells(column: ExportedColumn, settings: ParseSettings, styles: Styles): CellXml {
  const text = otherCells(column, settings);
  const texts: CellXml = (row, place) => {
    const shown = text(row);
    return shown === "" ? "" : textCell(shown)(place);
  };
  const { cell, type } = column;
  switch (type.base) {
    case "Numeric":
    case "Int":
    case "Id":
    case "PositionNumber":
    case "ManualSortPos":
      return numbers(column, { style: styles.number(column, settings), scale: (value) => value, texts });
    case "Date":
      return numbers(column, { style: constant(styles.date(column)), scale: serial, texts });
    case "DateTime": {
      const zone = zoneOrUtc(type.zone);
      const scale = (seconds: number): number => serial(seconds + zone.offsetAt(seconds));
      return numbers(column, { style: constant(styles.date(column)), scale, texts });
    }
    case "Bool":
      return (row, place) => {
        const value = cell(row);
        return typeof value === "boolean" ? `<c r="${place}" t="b"><v>${Number(value)}</v></c>` : texts(row, place);
      };
    case "Attachments":
      return () => "";
    default:
      return texts;
  }
}

/** The count has a 29th of February in 1900, which never was: days before are one less. */
function serial(seconds: number): number {
  const day = seconds / DAY_S + EPOCH_DAY;
  return day < 61 ? day - 1 : day;
}

function numbers(
  { cell, type }: ExportedColumn,
  { style, scale, texts }: { style: (value: number) => number; scale: (value: number) => number; texts: CellXml },
): CellXml {
  const isDate = type.base === "Date" || type.base === "DateTime";
  return (row, place) => {
    const value = cell(row);
    if (typeof value !== "number") return texts(row, place);
    const number = scale(value);
    // Spreadsheets have no infinite numbers, and no days before 1900.
    if (!Number.isFinite(number) || (isDate && number < 1)) return texts(row, place);
    return `<c r="${place}"${styled(style(value))}><v>${number}</v></c>`;
  };
}

const constant = (style: number) => (): number => style;

const styled = (style: number): string => (style === 0 ? "" : ` s="${style}"`);

/** What is written as text: as people see it, but for lists and references. */
function otherCells(column: ExportedColumn, settings: ParseSettings): (row: ExportedRow) => string {
  const { cell, shown, type } = column;
  const usual = cellTexts(column, settings);
  if (type.base === "ChoiceList") {
    return (row) => {
      const value = cell(row);
      return isList(value) ? value.slice(1).map(String).join("; ") : usual(row);
    };
  }
  if (type.base !== "Ref" && type.base !== "RefList") return usual;
  const plain = shown
    ? // Not in the shown column's own format: what programs read is the same everywhere.
      shownTexts(shown, cellFormatter(shown.type, settings))
    : (row: ExportedRow) => idText(cell(row));
  return (row) => (isReference(cell(row)) ? plain(row) : usual(row));
}

function idText(value: CellValue): string {
  if (value === null) return "";
  return isList(value) ? value.slice(1).join(", ") : String(value);
}
