import { spendSteps } from "../runtime/budget.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { PyObject, type PyValue } from "../runtime/object.ts";
import { defineFunction } from "../runtime/signature.ts";
import { PyFunction, typeName } from "../runtime/values.ts";
import { compareKeys, type ErrorCell, type Order } from "./order.ts";
import type { TrackedTable } from "./tracked-table.ts";
import { PyRecord } from "./record.ts";

/** A record set with its order. */
interface OrderedRecordSet {
  readonly table: TrackedTable;
  readonly ids: readonly number[];
  readonly order: Order;
  repr(): string;
}

/** `records.find`: finds records in an ordered set by their order keys. */
class PyRecordFinder extends PyObject {
  readonly typeName = "FindOps";
  readonly #set: OrderedRecordSet;

  constructor(set: OrderedRecordSet) {
    super();
    this.#set = set;
  }

  repr(): string {
    return `<find in ${this.#set.repr()}>`;
  }

  override attribute(name: string): PyValue | undefined {
    const set = this.#set;
    switch (name) {
      case "lt":
        return findMethod(name, set, (values) => firstWhere(set, (difference) => difference >= 0, values) - 1);
      case "le":
        return findMethod(name, set, (values) => firstWhere(set, (difference) => difference > 0, values) - 1);
      case "gt":
        return findMethod(name, set, (values) => firstWhere(set, (difference) => difference > 0, values));
      case "ge":
        return findMethod(name, set, (values) => firstWhere(set, (difference) => difference >= 0, values));
      case "eq":
        return findMethod(name, set, (values) => equalPosition(set, values));
      case "previous":
        return defineFunction(name, { required: ["record"] }, ([record = null]) => neighbour(set, record, -1));
      case "next":
        return defineFunction(name, { required: ["record"] }, ([record = null]) => neighbour(set, record, 1));
      case "rank":
        return defineFunction(
          name,
          { required: ["record"], optional: [["order", "asc"]] },
          ([record = null, order = "asc"]) => rankIn(set, record, order),
        );
      default:
        return undefined;
    }
  }
}

export const recordFinder = (set: OrderedRecordSet): PyValue => new PyRecordFinder(set);

function findMethod(
  name: string,
  set: OrderedRecordSet,
  findPosition: (values: readonly PyValue[]) => number,
): PyFunction {
  return new PyFunction(name, (values, keywords) => {
    if (keywords.size > 0 || values.length === 0) throw typeError(`find.${name}() takes the values to find`);
    checkOrdered(set);
    return recordAt(set, findPosition(values));
  });
}

function checkOrdered(set: OrderedRecordSet): void {
  if (set.order.keys.length === 0) throw valueError("find requires records that are ordered by a column");
}

const recordAt = (set: OrderedRecordSet, position: number): PyRecord => new PyRecord(set.table, set.ids[position] ?? 0);

/** Returns the first `count` order keys of a row. */
function keysOf(set: OrderedRecordSet, id: number, count: number): (PyValue | ErrorCell)[] {
  return set.order.keys.slice(0, count).map(({ column }) => {
    try {
      return set.table.read(id, column);
    } catch (error) {
      if (error instanceof PyError && error.catchable) return { failed: error.typeName };
      throw error;
    }
  });
}

/**
 * Returns the first position whose row satisfies the comparison with the values; the length of the set if none does.
 */
function firstWhere(
  set: OrderedRecordSet,
  holds: (difference: number) => boolean,
  values: readonly (PyValue | ErrorCell)[],
): number {
  let low = 0;
  let high = set.ids.length;
  while (low < high) {
    spendSteps(4);
    const middle = (low + high) >>> 1;
    const keys = keysOf(set, set.ids[middle] ?? 0, values.length);
    if (holds(compareKeys(keys, values, set.order.keys))) high = middle;
    else low = middle + 1;
  }
  return low;
}

function equalPosition(set: OrderedRecordSet, values: readonly PyValue[]): number {
  const position = firstWhere(set, (difference) => difference >= 0, values);
  const id = set.ids[position];
  if (id === undefined) return -1;
  return compareKeys(keysOf(set, id, values.length), values, set.order.keys) === 0 ? position : -1;
}

/** Returns the position of a record of the same table or of a row id; -1 if it is not in the set. */
function positionIn(set: OrderedRecordSet, record: PyValue): number {
  const isRecord = record instanceof PyRecord && record.table.tableId === set.table.tableId;
  const id = isRecord ? record.id : typeof record === "bigint" ? Number(record) : undefined;
  if (id === undefined) throw valueError(`a record of ${set.table.tableId} is needed, not ${typeName(record)}`);
  checkOrdered(set);
  return set.table.positionOf(id, set.ids);
}

function neighbour(set: OrderedRecordSet, record: PyValue, step: 1 | -1): PyRecord {
  const position = positionIn(set, record);
  return recordAt(set, position < 0 ? -1 : position + step);
}

/** Returns the rank, 1 for the first record, or for the last if `order` is "desc". */
function rankIn(set: OrderedRecordSet, record: PyValue, order: PyValue): PyValue {
  if (order !== "asc" && order !== "desc") throw valueError('order must be "asc" or "desc"');
  const position = positionIn(set, record);
  if (position < 0) return 0n;
  return BigInt(order === "asc" ? position + 1 : set.ids.length - position);
}
