import { AppError } from "../../errors.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import type { ColumnType, StorableValue } from "../../values/column-type.ts";
import { marshal } from "../../values/marshal.ts";
import type { SqlCondition } from "./sql-condition.ts";

/** How many filter values may be bound to SQLite individually. */
const MAX_BOUND_VALUES = 20_000;

/** Returns numbers and booleans as numbers, undefined for any other value. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : undefined;
}

/** Returns all stored forms of `value` in a column of the type: plain, JSON or marshalled. */
export function storedForms(type: ColumnType, value: unknown): StorableValue[] {
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

export const isReferenceList = (type: ColumnType): boolean => type.base === "RefList" || type.base === "Attachments";

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
export function valueList(values: readonly StorableValue[]): SqlCondition {
  const plain: (string | number)[] = [];
  const blobs: string[] = [];
  const boundValues: number[] = [];
  for (const value of values) {
    if (value instanceof Uint8Array) blobs.push(value.toHex());
    else if (typeof value === "string" || Number.isSafeInteger(value)) plain.push(value as string | number);
    else if (value !== null) boundValues.push(value);
  }
  if (boundValues.length > MAX_BOUND_VALUES) throw new AppError("filter.invalid", "The filter has too many values");
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
