import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import { type CellValue, errorNameOf, isErrorCell } from "../../values/cell.ts";
import type { ColumnType } from "../../values/column-type.ts";
import type { ReadField } from "./read-table.ts";

/**
 * The representation of cells. `plain`: as in records, with errors separate. `coded`: the same with errors inline.
 * `typed`: dates, references and lists with their type codes, errors inline.
 */
export type CellFormat = "plain" | "coded" | "typed";

/** Which stored values need conversion beyond a `typeof` check; all others are returned as SQLite provides them. */
type FastPath = "plain" | "bool" | "list" | "none";

const LIST_TYPES = new Set(["ChoiceList", "RefList", "Attachments"]);

function fastPathOf(type: ColumnType, form: CellFormat): FastPath {
  if (form === "typed" && !isTypedAsIs(type)) return "none";
  if (type.base === "Bool") return "bool";
  if (LIST_TYPES.has(type.base)) return "list";
  return type.isStoredPlain ? "plain" : "none";
}

/** True for types whose plain and typed forms are equal. */
const isTypedAsIs = (type: ColumnType): boolean =>
  type.typed(1) === 1 && type.typed(null) === null && type.typed("text") === "text";

/** Converts a stored cell to its representation. */
const displayCell = (type: ColumnType, stored: SqlValue, form: CellFormat): CellValue =>
  form === "typed" ? type.typed(type.decodeRaw(stored)) : type.decode(stored);

const displayAbsent = ({ type, absent = null }: ReadField, form: CellFormat): CellValue =>
  form === "typed" ? type.typed(absent) : absent;

/** Returns the columns to read for the fields. */
export const storedFieldIds = (fields: readonly ReadField[]): string[] =>
  fields.filter(({ absent }) => absent === undefined).map(({ id }) => id);

export interface RecordJson {
  readonly id: SqlValue;
  readonly fields: Record<string, CellValue>;
  readonly errors?: Record<string, string>;
}

/**
 * Returns a function that converts a row (the id, then the stored columns of `fields`) to a record ready for JSON. It
 * is generated code: the JavaScript engine creates and serializes object literals with fixed keys fastest. Ids enter
 * the code only as JSON.
 */
export function createRecordMapper(
  fields: readonly ReadField[],
  form: CellFormat,
): (row: readonly SqlValue[]) => RecordJson {
  let errors: Record<string, string> | undefined;
  const shown = fields.filter(({ absent }) => absent === undefined);
  /** Converts cells that need it; `index` counts the stored columns. */
  const decode = (index: number, stored: SqlValue): CellValue => {
    const field = shown[index];
    if (!field) return null;
    const value = displayCell(field.type, stored, form);
    if (form !== "plain" || !isErrorCell(value)) return value;
    errors ??= Object.create(null) as Record<string, string>;
    errors[field.id] = errorNameOf(value);
    return null;
  };
  let index = 0;
  const members = fields.map((field) => {
    const value =
      field.absent === undefined
        ? cellExpression(fastPathOf(field.type, form), index++)
        : JSON.stringify(displayAbsent(field, form));
    // A computed key, since a plain key __proto__ would set the prototype.
    return `[${JSON.stringify(field.id)}]: ${value}`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- see above
  const makeFields = new Function("decode", `return (v) => ({ ${members.join(", ")} });`)(decode) as (
    row: readonly SqlValue[],
  ) => Record<string, CellValue>;
  return (row) => {
    errors = undefined;
    const cells = makeFields(row);
    return errors === undefined ? { id: row[0] ?? null, fields: cells } : { id: row[0] ?? null, fields: cells, errors };
  };
}

function cellExpression(shortcut: FastPath, columnIndex: number): string {
  const v = `v[${columnIndex + 1}]`;
  const decoded = `decode(${columnIndex}, ${v})`;
  switch (shortcut) {
    case "plain":
      return `typeof ${v} !== "object" || ${v} === null ? ${v} : ${decoded}`;
    case "bool":
      return `${v} === 1 ? true : ${v} === 0 ? false : ${decoded}`;
    case "list":
      return `${v} === null ? null : ${decoded}`;
    case "none":
      return decoded;
    default:
      return shortcut satisfies never;
  }
}

/** Returns a function that converts one column of rows. */
export function createColumnMapper(
  field: ReadField,
  index: number,
  form: CellFormat,
): (rows: readonly (readonly SqlValue[])[]) => CellValue[] {
  const { type } = field;
  const isPlain = fastPathOf(type, form) === "plain";
  return (rows) =>
    rows.map((row) => {
      const stored = row[index] ?? null;
      return isPlain && (typeof stored !== "object" || stored === null) && typeof stored !== "bigint"
        ? stored
        : displayCell(type, stored, form);
    });
}

/**
 * Returns the SQL aggregate that renders a column's cells as a JSON list, or null where SQLite cannot. The result is
 * right only if `isExactJson` says so.
 */
export function sqlJsonOf({ id, type }: ReadField, form: CellFormat): string | null {
  const column = quote(id);
  const fastPath = fastPathOf(type, form);
  switch (fastPath) {
    case "plain":
      return `json_group_array(${column})`;
    case "bool":
      // The aggregate ignores NULL, and a "!" is in no exact list.
      return `'[' || group_concat(case ${column} when 1 then 'true' when 0 then 'false' else iif(${column} is null, 'null', '!') end) || ']'`;
    case "list":
    case "none":
      return null;
    default:
      return fastPath satisfies never;
  }
}

/** Returns the cells of a column that the file lacks, for this many rows. */
export const absentCells = (field: ReadField, form: CellFormat, count: number): CellValue[] =>
  Array.from({ length: count }, () => displayAbsent(field, form));
