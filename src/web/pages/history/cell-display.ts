import { cellFormatter } from "../../../values/cell-formatter.ts";
import { CELL_CODES, isCoded, isList, type CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { DocumentSettings } from "../../base/table-data.ts";
import type { PlainTexts } from "../../texts/texts.ts";
import type { PastColumn, PastSchema } from "./past-schema.ts";

/** Formats cells of a history as the table would show them: in the document's formats, references by name. */

export interface CellFormats {
  readonly t: PlainTexts;
  readonly settings: DocumentSettings;
  /** The state that the cell belongs to. */
  readonly schema: PastSchema;
  /**
   * Returns the text of a row as it is now; undefined if the reader cannot read such a row.
   * @param visibleRef row id of the column to show; 0 for the first one
   */
  readonly rowText: (table: string, visibleRef: number, row: number) => string | undefined;
  /** Returns the name of an attachment; undefined if the reader cannot read it. */
  readonly fileName: (id: number) => string | undefined;
}

export interface RecordedCell {
  readonly value: unknown;
  /** What the column displayed instead of a reference then; undefined where the history does not have it. */
  readonly shown?: unknown;
}

const MAX_CHARACTERS = 300;

/** @param column undefined for a column of which nothing is known */
export function formatCell(formats: CellFormats, column: PastColumn | undefined, cell: RecordedCell): string {
  return truncate(cellText(formats, column, cell));
}

function cellText(formats: CellFormats, column: PastColumn | undefined, { value, shown }: RecordedCell): string {
  const { t, schema } = formats;
  const type = columnType(column?.type ?? "Any");
  const target = type.target ?? "";
  const visibleRef = column?.visibleRef ?? 0;
  const visible = schema.columnByRef(visibleRef);
  if (type.base === "Ref" && typeof value === "number") {
    if (value === 0) return "";
    return shown === undefined ? rowName(formats, target, visibleRef, value) : shownText(formats, visible, shown);
  }
  if (type.base === "RefList" && isList(value)) {
    if (isList(shown)) return joined(shown.slice(1).map((item) => shownText(formats, visible, item)));
    return joined(value.slice(1).map((id) => rowName(formats, target, visibleRef, Number(id))));
  }
  if (type.base === "Attachments" && isList(value)) {
    return joined(value.slice(1).map((id) => formats.fileName(Number(id)) ?? t("history.cell.missingFile")));
  }
  if (typeof value === "boolean") return value ? t("table.cell.yes") : t("table.cell.no");
  if (isCoded(value)) {
    const text = codedText(formats, value);
    if (text !== null) return text;
  }
  const options = { ...formats.settings, widgetOptions: column?.options };
  return cellFormatter(type, options)(plainCell(value));
}

/** The values of display columns are results of formulas. */
function shownText(formats: CellFormats, visible: PastColumn | undefined, shown: unknown): string {
  const isDate = isCoded(shown) && (shown[0] === CELL_CODES.date || shown[0] === CELL_CODES.dateTime);
  return cellText(formats, visible, { value: isDate ? Number(shown[1]) : shown });
}

/** Returns null for values that are formatted by the column's type. */
function codedText(formats: CellFormats, [code, first, second]: readonly unknown[]): string | null {
  const { t } = formats;
  switch (code) {
    case CELL_CODES.reference:
      return typeof second === "number" && second > 0 ? rowName(formats, String(first), 0, second) : "";
    case CELL_CODES.referenceList:
      return Array.isArray(second) ? joined(second.map((id) => rowName(formats, String(first), 0, Number(id)))) : "";
    case CELL_CODES.error:
      return t("history.cell.error", { error: [first, second].filter((part) => typeof part === "string").join(": ") });
    case CELL_CODES.pending:
      return t("history.cell.pending");
    case CELL_CODES.censored:
      return t("history.cell.hidden");
    default:
      return null;
  }
}

/** A row that was deleted, and one that the reader cannot read, have the same text. */
const rowName = ({ t, rowText }: CellFormats, table: string, visibleRef: number, row: number): string =>
  rowText(table, visibleRef, row) ?? t("history.cell.missingRow");

const joined = (texts: readonly string[]): string => texts.join(", ");

const plainCell = (value: unknown): CellValue =>
  value === undefined || (typeof value === "object" && value !== null && !isCoded(value))
    ? ["O", value]
    : (value as CellValue);

const truncate = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
