import { AppError, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { wellFormed } from "../../lib/text/well-formed.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import type { ColumnType, StorableValue } from "../../values/column-type.ts";
import { marshal } from "../../values/marshal.ts";
import type { ReadField, ReadTable } from "./read-table.ts";

/** Allowed values by column id. */
export type Filter = Readonly<Record<string, readonly unknown[]>>;

/** An SQL condition with its arguments; empty when all rows match. */
export interface SqlCondition {
  readonly sql: string;
  readonly args: readonly SqlValue[];
}

export const MATCH_ALL: SqlCondition = { sql: "", args: [] };

/** How many filter values may be bound to SQLite individually. */
const MAX_BOUND_VALUES = 20_000;

/**
 * Parses the filter of a query: a JSON object of lists; undefined, `{}` and `[]` mean no filter.
 * @throws AppError `invalid`
 */
export function parseFilter(text: string | undefined): Filter | null {
  if (text === undefined || text === "") return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidFilter("filter is not JSON");
  }
  if (value === null || typeof value !== "object") throw invalidFilter("filter must be an object of lists");
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  if (Array.isArray(value)) throw invalidFilter("filter must be an object of lists");
  if (!entries.every(([, allowed]) => Array.isArray(allowed))) throw frozenError(FROZEN.filterValues);
  return wellFormed(value) as Filter;
}

/**
 * Compiles a filter. It compares stored values rather than displayed ones: numbers and booleans are equal as numbers,
 * texts match exactly, null matches only null.
 * @throws AppError `invalid` for an unknown column
 */
export function compileFilter(table: ReadTable, filter: Filter | null): SqlCondition {
  if (filter === null) return MATCH_ALL;
  const parts = Object.entries(filter).map(([column, allowed]) => {
    if (column === "id") return idCondition(allowed);
    const field = table.fieldById.get(column);
    if (!field) throw frozenError(FROZEN.invalidColumn, column);
    return fieldCondition(field, allowed);
  });
  if (parts.length === 0) return MATCH_ALL;
  return { sql: parts.map(({ sql }) => `(${sql})`).join(" and "), args: parts.flatMap(({ args }) => args) };
}

/** Row ids are plain integers, so SQLite can use the primary key. */
function idCondition(allowed: readonly unknown[]): SqlCondition {
  const ids = allowed.map(asNumber).filter((id) => Number.isSafeInteger(id));
  if (ids.length === 0) return { sql: "0", args: [] };
  return { sql: "id in (select value from json_each(?))", args: [JSON.stringify(ids)] };
}

function fieldCondition(field: ReadField, allowed: readonly unknown[]): SqlCondition {
  if (field.absent !== undefined) return { sql: absentMatches(field.absent, allowed) ? "1" : "0", args: [] };
  const column = quote(field.id);
  const nulls = allowed.includes(null) ? `${column} is null` : "";
  const stored = allowed.flatMap((value) => storedForms(field.type, value));
  if (stored.length === 0) return { sql: nulls || "0", args: [] };
  const list = valueList(stored);
  // The plus prevents SQLite from applying column affinity: a number never equals a text.
  return { sql: `+${column} in (${list.sql})${nulls && ` or ${nulls}`}`, args: list.args };
}

/** Returns the cells that a column's filter allows. A value that equals no cell of the column has none. */
export function allowedCells({ type }: ReadField, allowed: readonly unknown[]): CellValue[] {
  return allowed.flatMap((value): CellValue[] => {
    const number = asNumber(value);
    if (number !== undefined) return [number];
    if (typeof value === "string" || value === null) return [value];
    return isReferenceList(type) && Array.isArray(value) ? [["L", ...value.map(asNumber)]] : [];
  });
}

function absentMatches(absent: CellValue, allowed: readonly unknown[]): boolean {
  const number = asNumber(absent);
  return allowed.some((value) => value === absent || (number !== undefined && asNumber(value) === number));
}

/** Returns numbers and booleans as numbers, undefined for any other value. */
function asNumber(value: unknown): number | undefined {
  return typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : undefined;
}

/** Returns all stored forms of `value` in a column of the type: plain, JSON or marshalled. */
function storedForms(type: ColumnType, value: unknown): StorableValue[] {
  const number = asNumber(value);
  if (number !== undefined) {
    const forms = [number, marshal(number), marshalledReal(number)];
    if (number === 0 || number === 1) forms.push(marshal(number === 1));
    if (number === 0) forms.push(marshalledReal(-0));
    return forms.filter((form) => asNumber(type.decodeRaw(form)) === number);
  }
  if (typeof value === "string") {
    const form = type.encode(value);
    const forms =
      form instanceof Uint8Array ? [value, form] : LOOKS_NUMERIC.test(value) ? [form, marshal(value)] : [form];
    return forms.filter((form) => type.decodeRaw(form) === value);
  }
  return isReferenceList(type) && Array.isArray(value) ? listForms(type, value) : [];
}

/** Numeric-looking text in a numeric column is stored marshalled, since SQLite would convert it. */
const LOOKS_NUMERIC = /^[-+.0-9 \t\r\n\v]/;

const isReferenceList = (type: ColumnType): boolean => type.base === "RefList" || type.base === "Attachments";

/** Lists of references match a plain list of ids, complete and in the same order. */
function listForms(type: ColumnType, ids: readonly unknown[]): StorableValue[] {
  const items = ids.map(asNumber);
  if (items.length === 0 || items.includes(undefined)) return [];
  const cell: CellValue = ["L", ...items];
  const text = JSON.stringify(cell);
  const forms = [type.encode(cell), marshal(cell)];
  return forms.filter((form) => {
    const value = type.decodeRaw(form);
    return isList(value) && JSON.stringify(value) === text;
  });
}

/** Marshals a number as a Python float, even when it is whole. */
function marshalledReal(value: number): Uint8Array {
  const bytes = new Uint8Array(9);
  bytes[0] = 0x67;
  new DataView(bytes.buffer).setFloat64(1, value, true);
  return bytes;
}

/**
 * Returns the values as a subquery with few different SQL texts, so that prepared statements are reused: texts and
 * integers as one JSON argument, blobs as another in hex, and only numbers that do not survive serialization
 * individually.
 */
function valueList(values: readonly StorableValue[]): SqlCondition {
  const plain: (string | number)[] = [];
  const blobs: string[] = [];
  const boundValues: number[] = [];
  for (const value of values) {
    if (value instanceof Uint8Array) blobs.push(value.toHex());
    else if (typeof value === "string" || Number.isSafeInteger(value)) plain.push(value as string | number);
    else if (value !== null) boundValues.push(value);
  }
  if (boundValues.length > MAX_BOUND_VALUES) throw invalidFilter("The filter has too many values");
  const selects: string[] = [];
  const args: SqlValue[] = [];
  if (plain.length > 0) {
    selects.push("select value from json_each(?)");
    args.push(JSON.stringify(plain));
  }
  if (blobs.length > 0) {
    selects.push("select unhex(value) from json_each(?)");
    args.push(JSON.stringify(blobs));
  }
  if (boundValues.length > 0) {
    const size = 2 ** Math.ceil(Math.log2(boundValues.length));
    selects.push(`values ${Array.from({ length: size }, () => "(?)").join(",")}`);
    args.push(...boundValues, ...Array.from({ length: size - boundValues.length }, () => boundValues[0] ?? null));
  }
  return { sql: selects.join(" union all "), args };
}

const invalidFilter = (message: string) => new AppError("filter.invalid", message);
