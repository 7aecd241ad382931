import { forbidden } from "../../errors.ts";
import { quote } from "../../sqlite/quote.ts";
import { type CellValue, CELL_CODES, isList } from "../../values/cell.ts";
import { columnType, type ParseSettings } from "../../values/column-type.ts";
import type { OpenDocument } from "../document.ts";
import { MATCH_ALL, type SqlCondition } from "../filters/sql-condition.ts";
import { LIMITS } from "../limits.ts";
import { idsCondition } from "../read/index-reads.ts";
import type { VisibilityFilter } from "../read/visibility-filter.ts";
import type { TableInfo } from "../schema.ts";
import { widgetOptions } from "../widget-options.ts";
import { CellRefusal } from "./field-problems.ts";
import type { SectionField } from "./form-definition.ts";
import { offeredRows } from "./offered-rows.ts";

/** Converts the values of an answer to cells, and refuses values that the form would not let a visitor enter. */

export interface AnswerContext {
  readonly visibility: VisibilityFilter;
  readonly table: TableInfo;
  /** False to store texts as they are, where the type of the column allows it. */
  readonly parses: boolean;
  /** True for ids of files that the caller has uploaded. */
  readonly hasUploaded: (id: number) => boolean;
}

/** True for values that mean no answer. */
export function isBlankAnswer(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "string") return value.trim() === "";
  return Array.isArray(value) && (value.length === 0 || (value[0] === CELL_CODES.list && value.length === 1));
}

/** Returns the cell for a value that is not blank. @throws CellRefusal */
export function convertAnswer(context: AnswerContext, field: SectionField, value: unknown): CellValue {
  if (typeof value === "string" && Buffer.byteLength(value) > LIMITS.cellBytes) {
    throw new CellRefusal("too_long", Math.floor(LIMITS.cellBytes / 4));
  }
  switch (columnType(field.column.type).base) {
    case "Text":
      return convertText(field, value);
    case "Numeric":
    case "Int":
      return convertNumber(context, field, value);
    case "Bool":
      return convertBool(context, field, value);
    case "Date":
    case "DateTime":
      return convertDate(context, field, value);
    case "Choice":
      return offeredChoice(field, typeof value === "number" ? String(value) : value);
    case "ChoiceList":
      return listOf(itemsOf(context, field, value).map((item) => offeredChoice(field, item)));
    case "Ref":
      return offeredRow(context, field, value);
    case "RefList":
      return listOf(rowItemsOf(value).map((item) => offeredRow(context, field, item)));
    case "Attachments":
      return listOf(rowItemsOf(value).map((item) => uploadedFile(context, item)));
    default:
      return convertAny(context, field, value);
  }
}

/** A list without repetitions. */
const listOf = (items: readonly (string | number)[]): CellValue => [CELL_CODES.list, ...new Set(items)];

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

function scalarOf(value: unknown): string | number | boolean {
  if (!isScalar(value)) throw new CellRefusal("invalid");
  return value;
}

function settingsOf(document: OpenDocument, options: string): ParseSettings {
  return { ...document.formatSettings, widgetOptions: widgetOptions(options), nowMs: document.clock.now() };
}

/** Parses a text by the type and the options of its column, as texts of other requests. */
function parsed({ visibility, parses }: AnswerContext, { column }: SectionField, value: CellValue): CellValue {
  if (typeof value !== "string" || !parses) return value;
  return columnType(column.type).parse(value, settingsOf(visibility.document, column.widgetOptions));
}

function convertText({ options }: SectionField, value: unknown): CellValue {
  const text = String(scalarOf(value));
  const maximum = Number(options["formTextMaximumLength"]);
  if (maximum > 0 && text.length > maximum) throw new CellRefusal("too_long", maximum);
  return text;
}

function convertNumber(context: AnswerContext, field: SectionField, value: unknown): CellValue {
  const type = columnType(field.column.type);
  const code = type.base === "Int" ? "not_an_integer" : "not_a_number";
  const input = parsed(context, field, isScalar(value) ? value : null);
  // Conversion would cut a fraction off, also of a text.
  if (type.base === "Int" && Number.isFinite(Number(input)) && !Number.isInteger(Number(input))) {
    throw new CellRefusal(code);
  }
  const cell = type.convert(input);
  if (typeof cell !== "number" || !Number.isFinite(cell)) throw new CellRefusal(code);
  return cell;
}

function convertBool(context: AnswerContext, field: SectionField, value: unknown): CellValue {
  const cell = columnType(field.column.type).convert(parsed(context, field, scalarOf(value)));
  if (typeof cell !== "boolean") throw new CellRefusal("invalid");
  return cell;
}

function convertDate(context: AnswerContext, field: SectionField, value: unknown): CellValue {
  const type = columnType(field.column.type);
  const isCodedDate = Array.isArray(value) && (value[0] === CELL_CODES.date || value[0] === CELL_CODES.dateTime);
  const isInput = typeof value === "string" || typeof value === "number" || isCodedDate;
  const cell = isInput ? type.convert(parsed(context, field, value as CellValue)) : null;
  if (typeof cell !== "number" || !Number.isFinite(cell)) {
    throw new CellRefusal(type.base === "Date" ? "not_a_date" : "not_a_time");
  }
  return cell;
}

function convertAny(context: AnswerContext, field: SectionField, value: unknown): CellValue {
  const cell = columnType(field.column.type).convert(parsed(context, field, scalarOf(value)));
  if (typeof cell === "object" && cell !== null) throw new CellRefusal("invalid");
  return cell;
}

function offeredChoice({ options }: SectionField, value: unknown): string {
  const { choices } = options;
  if (typeof value === "string" && Array.isArray(choices) && choices.includes(value)) return value;
  throw new CellRefusal("not_offered");
}

/** Returns the items of a list of texts, or of a text that is parsed as one. */
function itemsOf(context: AnswerContext, field: SectionField, value: unknown): unknown[] {
  if (isList(value)) return value.slice(1);
  const { choices } = field.options;
  // A choice can contain the separator of lists.
  if (typeof value === "string" && Array.isArray(choices) && choices.includes(value)) return [value];
  const list = typeof value === "string" ? columnType(field.column.type).convert(parsed(context, field, value)) : null;
  return isList(list) ? list.slice(1) : [value];
}

/** Returns the items of a list of row ids: a list, the JSON text of one, or one item. */
function rowItemsOf(value: unknown): unknown[] {
  if (isList(value)) return value.slice(1);
  if (typeof value !== "string" || !value.trim().startsWith("[")) return [value];
  try {
    const list: unknown = JSON.parse(value);
    if (!Array.isArray(list)) return [value];
    return (list[0] === CELL_CODES.list ? list.slice(1) : list) as unknown[];
  } catch {
    return [value];
  }
}

function uploadedFile({ hasUploaded }: AnswerContext, value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value <= 0) throw new CellRefusal("not_a_file");
  // The same for files of other visitors and for ids that do not exist.
  if (!hasUploaded(value)) throw forbidden("Cannot access attachment", "form.file");
  return value;
}

/** Returns the id of a row that the form offers: given as its id, or as the text that it displays. */
function offeredRow(context: AnswerContext, field: SectionField, value: unknown): number {
  const id = typeof value === "number" ? value : typeof value === "string" ? rowByText(context, field, value) : null;
  if (id !== null && Number.isInteger(id) && id > 0 && isOffered(context, field, idsCondition([id]))) return id;
  throw new CellRefusal("not_offered");
}

const isOffered = (context: AnswerContext, field: SectionField, where: SqlCondition): boolean =>
  firstOffered(context, field, where) !== null;

function firstOffered(
  { visibility, table }: AnswerContext,
  { column }: SectionField,
  where = MATCH_ALL,
): number | null {
  for (const [id] of offeredRows(visibility, table, column, where)) return id;
  return null;
}

function rowByText(context: AnswerContext, field: SectionField, text: string): number | null {
  const { document } = context.visibility;
  const { target } = columnType(field.column.type);
  const shown = document.schema.columnByRef.get(field.column.visibleCol);
  const isShown = shown !== undefined && document.schema.tableByRef.get(shown.tableRef)?.id === target;
  if (!isShown) return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : null;
  if (!shown.isStored) return null;
  const type = columnType(shown.type);
  const cell = type.convert(type.parse(text, settingsOf(document, shown.widgetOptions)));
  return firstOffered(context, field, { sql: `${quote(shown.id)} = ?`, args: [type.encode(cell)] });
}
