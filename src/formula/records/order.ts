import { typeError } from "../runtime/errors.ts";
import { numberOf, unqualifiedTypeName, pyCompare, PyTuple, type PyValue, typeName } from "../runtime/values.ts";

/** One column of an order. */
export interface OrderKey {
  readonly column: string;
  readonly isDescending: boolean;
}

/** The order of looked-up records: by the keys, then by row id. */
export interface Order {
  readonly keys: readonly OrderKey[];
  readonly isIdDescending: boolean;
}

export const BY_ID: Order = { keys: [], isIdDescending: false };

/** Parses `order_by`. Throws PyError TypeError unless it is a string, a tuple or None. */
export function parseOrderBy(value: PyValue): Order {
  if (value !== null && typeof value !== "string" && !(value instanceof PyTuple)) {
    throw typeError(`order_by must be a column ID or a tuple of them, not ${typeName(value)}`);
  }
  const names = value instanceof PyTuple ? value.items() : value === null ? [] : [value];
  const keys: OrderKey[] = [];
  for (const name of names) {
    const key = parseKey(name, "order_by");
    if (key.column === "id") return { keys, isIdDescending: key.isDescending };
    keys.push(key);
  }
  return { keys: [...keys, { column: "manualSort", isDescending: false }], isIdDescending: false };
}

/** Parses the older `sort_by`: one column; ties are ordered by row id. */
export function parseSortBy(value: PyValue): Order {
  if (value === null) return BY_ID;
  const key = parseKey(value, "sort_by");
  return key.column === "id" ? { keys: [], isIdDescending: key.isDescending } : { keys: [key], isIdDescending: false };
}

function parseKey(value: PyValue, name: string): OrderKey {
  if (typeof value !== "string") throw typeError(`${name} must name columns, not ${typeName(value)}`);
  return value.startsWith("-")
    ? { column: value.slice(1), isDescending: true }
    : { column: value, isDescending: false };
}

/** Represents an error cell in comparisons for ordering. */
export interface ErrorCell {
  readonly failed: string;
}

const isErrorCell = (value: PyValue | ErrorCell): value is ErrorCell =>
  typeof value === "object" && value !== null && "failed" in value;

/** Compares for ordering: None first, then numbers, then by type name, and values of one type by their own order. */
export function compareForOrder(left: PyValue | ErrorCell, right: PyValue | ErrorCell): number {
  if (left === right) return 0;
  const [a, b] = [rankOf(left), rankOf(right)];
  if (a !== b) return a - b;
  if (isErrorCell(left) || isErrorCell(right)) return 0;
  if (a === 1) return pyCompare(left, right) || 0;
  const [x, y] = [unqualifiedTypeName(left), unqualifiedTypeName(right)];
  if (x !== y) return x < y ? -1 : 1;
  return pyCompare(left, right) || 0;
}

function rankOf(value: PyValue | ErrorCell): number {
  if (value === null) return 0;
  if (isErrorCell(value)) return 3;
  return numberOf(value) === undefined ? 2 : 1;
}

/** Compares the key values of two rows, over the length of the shorter list. */
export function compareKeys(
  left: readonly (PyValue | ErrorCell)[],
  right: readonly (PyValue | ErrorCell)[],
  keys: readonly OrderKey[],
): number {
  const length = Math.min(left.length, right.length, keys.length);
  for (let k = 0; k < length; k++) {
    const difference = compareForOrder(left[k] ?? null, right[k] ?? null);
    if (difference !== 0) return keys[k]?.isDescending ? -difference : difference;
  }
  return 0;
}
