import { spendSteps } from "../budget.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { PyObject, type PyValue } from "../object.ts";
import { defineFunction } from "../signature.ts";
import { PyFunction, typeName } from "../values.ts";
import { compareKeys, type FailedCell, type Order } from "./order.ts";
import type { RecordPath } from "./path.ts";
import { PyRecord } from "./record.ts";

/** A set of records with its order. */
interface OrderedRecords {
  readonly path: RecordPath;
  readonly ids: readonly number[];
  readonly order: Order;
  repr(): string;
}

/** `records.find`: finds records in an ordered set by what they are ordered by. */
class PyFind extends PyObject {
  readonly typeName = "FindOps";
  readonly #set: OrderedRecords;

  constructor(set: OrderedRecords) {
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
        return finder(name, set, (values) => firstWhere(set, (difference) => difference >= 0, values) - 1);
      case "le":
        return finder(name, set, (values) => firstWhere(set, (difference) => difference > 0, values) - 1);
      case "gt":
        return finder(name, set, (values) => firstWhere(set, (difference) => difference > 0, values));
      case "ge":
        return finder(name, set, (values) => firstWhere(set, (difference) => difference >= 0, values));
      case "eq":
        return finder(name, set, (values) => equalPlace(set, values));
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

export const findOf = (set: OrderedRecords): PyValue => new PyFind(set);

function finder(name: string, set: OrderedRecords, place: (values: readonly PyValue[]) => number): PyFunction {
  return new PyFunction(name, (values, keywords) => {
    if (keywords.size > 0 || values.length === 0) throw typeError(`find.${name}() takes the values to find`);
    checkOrdered(set);
    return recordAt(set, place(values));
  });
}

function checkOrdered(set: OrderedRecords): void {
  if (set.order.keys.length === 0) throw valueError("find requires records that are ordered by a column");
}

const recordAt = (set: OrderedRecords, place: number): PyRecord => new PyRecord(set.path, set.ids[place] ?? 0);

/** What a row is ordered by, as many keys as asked for. */
function keysOf(set: OrderedRecords, id: number, count: number): (PyValue | FailedCell)[] {
  return set.order.keys.slice(0, count).map(({ column }) => {
    try {
      return set.path.read(id, column);
    } catch (error) {
      if (error instanceof PyError && error.catchable) return { failed: error.typeName };
      throw error;
    }
  });
}

/** The first place whose row compares with the values as asked for; the length of the set if there is none. */
function firstWhere(
  set: OrderedRecords,
  holds: (difference: number) => boolean,
  values: readonly (PyValue | FailedCell)[],
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

function equalPlace(set: OrderedRecords, values: readonly PyValue[]): number {
  const place = firstWhere(set, (difference) => difference >= 0, values);
  const id = set.ids[place];
  if (id === undefined) return -1;
  return compareKeys(keysOf(set, id, values.length), values, set.order.keys) === 0 ? place : -1;
}

/** The place of a record of the same table, or of a row's id; -1 if it is not in the set. */
function placeIn(set: OrderedRecords, record: PyValue): number {
  const isRecord = record instanceof PyRecord && record.path.table === set.path.table;
  const id = isRecord ? record.id : typeof record === "bigint" ? Number(record) : undefined;
  if (id === undefined) throw valueError(`a record of ${set.path.table} is needed, not ${typeName(record)}`);
  checkOrdered(set);
  return set.path.placeOf(id, set.ids);
}

function neighbour(set: OrderedRecords, record: PyValue, step: 1 | -1): PyRecord {
  const place = placeIn(set, record);
  return recordAt(set, place < 0 ? -1 : place + step);
}

/** 1 for the first record, or for the last where `order` is "desc". */
function rankIn(set: OrderedRecords, record: PyValue, order: PyValue): PyValue {
  if (order !== "asc" && order !== "desc") throw valueError('order must be "asc" or "desc"');
  const place = placeIn(set, record);
  if (place < 0) return 0n;
  return BigInt(order === "asc" ? place + 1 : set.ids.length - place);
}
