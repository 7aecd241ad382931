import type { SqlValue } from "../../sqlite/database.ts";
import { type CellValue, isErrorCell } from "../../values/cell.ts";
import type { ColumnType } from "../../values/column-type.ts";
import type { ReadField } from "./table.ts";

/**
 * How cells are shown. `plain`: as records have them, errors apart. `coded`: the same with errors in their place.
 * `typed`: dates, references and lists in their codes, errors in their place.
 */
export type CellForm = "plain" | "coded" | "typed";

/** What must be looked at more closely than `typeof` tells: the rest is shown just as SQLite gives it. */
type Shortcut = "plain" | "bool" | "list" | "none";

const LISTS = new Set(["ChoiceList", "RefList", "Attachments"]);

function shortcut(type: ColumnType, form: CellForm): Shortcut {
  if (form === "typed" && !isTypedAsIs(type)) return "none";
  if (type.base === "Bool") return "bool";
  if (LISTS.has(type.base)) return "list";
  return type.isStoredPlain ? "plain" : "none";
}

/** True for types whose plain values have no other form when typed. */
const isTypedAsIs = (type: ColumnType): boolean =>
  type.typed(1) === 1 && type.typed(null) === null && type.typed("text") === "text";

/** What is shown for a stored cell. */
const show = (type: ColumnType, stored: SqlValue, form: CellForm): CellValue =>
  form === "typed" ? type.typed(type.decodeRaw(stored)) : type.decode(stored);

const showAbsent = ({ type, absent = null }: ReadField, form: CellForm): CellValue =>
  form === "typed" ? type.typed(absent) : absent;

/** The columns that have to be read for the fields. */
export const storedColumns = (fields: readonly ReadField[]): string[] =>
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
export function recordMaker(fields: readonly ReadField[], form: CellForm): (row: readonly SqlValue[]) => RecordJson {
  let errors: Record<string, string> | undefined;
  const shown = fields.filter(({ absent }) => absent === undefined);
  /** For cells that are not shown as they are: `place` counts the stored columns. */
  const decode = (place: number, stored: SqlValue): CellValue => {
    const field = shown[place];
    if (!field) return null;
    const value = show(field.type, stored, form);
    if (form !== "plain" || !isErrorCell(value)) return value;
    errors ??= Object.create(null) as Record<string, string>;
    errors[field.id] = typeof value[1] === "string" ? value[1] : "Error";
    return null;
  };
  let place = 0;
  const members = fields.map((field) => {
    const value =
      field.absent === undefined
        ? cellExpression(shortcut(field.type, form), place++)
        : JSON.stringify(showAbsent(field, form));
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

function cellExpression(shortcut: Shortcut, place: number): string {
  const v = `v[${place + 1}]`;
  const decoded = `decode(${place}, ${v})`;
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
export function columnMaker(
  field: ReadField,
  place: number,
  form: CellForm,
): (rows: readonly (readonly SqlValue[])[]) => CellValue[] {
  const { type } = field;
  const isPlain = shortcut(type, form) === "plain";
  return (rows) =>
    rows.map((row) => {
      const stored = row[place] ?? null;
      return isPlain && (typeof stored !== "object" || stored === null) && typeof stored !== "bigint"
        ? stored
        : show(type, stored, form);
    });
}

/** What a column that the file does not have shows, for as many rows. */
export const absentCells = (field: ReadField, form: CellForm, count: number): CellValue[] =>
  Array.from({ length: count }, () => showAbsent(field, form));
