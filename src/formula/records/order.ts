import { typeError } from "../runtime/errors.ts";
import { numberOf, unqualifiedTypeName, pyCompare, PyTuple, type PyValue, typeName } from "../runtime/values.ts";

/** One column that records are ordered by. */
export interface OrderKey {
  readonly column: string;
  readonly isDescending: boolean;
}

/** How looked-up records are ordered: by the keys, then by row id. */
export interface Order {
  readonly keys: readonly OrderKey[];
  readonly isIdDescending: boolean;
}

export const BY_ID: Order = { keys: [], isIdDescending: false };

/** The order that `order_by` asks for. Throws PyError TypeError for what is neither text, tuple nor None. */
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

/** The order that the older `sort_by` asks for: one column, equal ones by row id. */
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

/** Stands for a cell that holds an error where records are ordered. */
export interface ErrorCell {
  readonly failed: string;
}

const isErrorCell = (value: PyValue | ErrorCell): value is ErrorCell =>
  typeof value === "object" && value !== null && "failed" in value;

/** None first, then numbers, then by the names of types, and values of one type by themselves. */
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

/** Compares what stands for two rows, key by key as far as both go. */
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
