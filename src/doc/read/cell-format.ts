import type { SqlValue } from "../../sqlite/database.ts";
import { type CellValue, isErrorCell } from "../../values/cell.ts";
import type { ColumnType } from "../../values/column-type.ts";
import type { ReadField } from "./read-table.ts";

/**
 * How cells are shown. `plain`: as records have them, errors apart. `coded`: the same with errors in their place.
 * `typed`: dates, references and lists in their codes, errors in their place.
 */
export type CellFormat = "plain" | "coded" | "typed";

/** What must be looked at more closely than `typeof` tells: the rest is shown just as SQLite gives it. */
type FastPath = "plain" | "bool" | "list" | "none";

const LIST_TYPES = new Set(["ChoiceList", "RefList", "Attachments"]);

function fastPathOf(type: ColumnType, form: CellFormat): FastPath {
  if (form === "typed" && !isTypedAsIs(type)) return "none";
  if (type.base === "Bool") return "bool";
  if (LIST_TYPES.has(type.base)) return "list";
  return type.isStoredPlain ? "plain" : "none";
}

/** True for types whose plain values have no other form when typed. */
const isTypedAsIs = (type: ColumnType): boolean =>
  type.typed(1) === 1 && type.typed(null) === null && type.typed("text") === "text";

/** What is shown for a stored cell. */
const displayCell = (type: ColumnType, stored: SqlValue, form: CellFormat): CellValue =>
  form === "typed" ? type.typed(type.decodeRaw(stored)) : type.decode(stored);

const displayAbsent = ({ type, absent = null }: ReadField, form: CellFormat): CellValue =>
  form === "typed" ? type.typed(absent) : absent;

/** The columns that have to be read for the fields. */
export const storedFieldIds = (fields: readonly ReadField[]): string[] =>
  fields.filter(({ absent }) => absent === undefined).map(({ id }) => id);

export interface RecordJson {
  readonly id: SqlValue;
  readonly fields: Record<string, CellValue>;
  readonly errors?: Record<string, string>;
}

/**
 * Makes the function that turns a row (the id, then the stored columns of `fields`) into a record ready for JSON. It
 * is generated: a literal with the keys written out is what the engine makes and prints fastest. Ids go into the text
 * as JSON only.
 */
export function createRecordMapper(
  fields: readonly ReadField[],
  form: CellFormat,
): (row: readonly SqlValue[]) => RecordJson {
  let errors: Record<string, string> | undefined;
  const shown = fields.filter(({ absent }) => absent === undefined);
  /** For cells that are not shown as they are: `place` counts the stored columns. */
  const decode = (index: number, stored: SqlValue): CellValue => {
    const field = shown[index];
    if (!field) return null;
    const value = displayCell(field.type, stored, form);
    if (form !== "plain" || !isErrorCell(value)) return value;
    errors ??= Object.create(null) as Record<string, string>;
    errors[field.id] = typeof value[1] === "string" ? value[1] : "Error";
    return null;
  };
  let index = 0;
  const members = fields.map((field) => {
    const value =
      field.absent === undefined
        ? cellExpression(fastPathOf(field.type, form), index++)
        : JSON.stringify(displayAbsent(field, form));
    // Computed, since the plain key __proto__ would not make a member.
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

/** Makes the function that turns one column of rows into what is shown. */
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

/** What a column that the file does not have shows, for as many rows. */
export const absentCells = (field: ReadField, form: CellFormat, count: number): CellValue[] =>
  Array.from({ length: count }, () => displayAbsent(field, form));
