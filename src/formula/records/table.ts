import { spendSteps } from "../runtime/budget.ts";
import { typeError } from "../runtime/errors.ts";
import { NO_MATCH_EMPTY, PyContains } from "../functions/contains.ts";
import { PyObject, type PyValue } from "../runtime/object.ts";
import { PyType } from "../runtime/classes/types.ts";
import { type Keywords, PyFunction } from "../runtime/values.ts";
import { BY_ID, type Order, parseOrderBy, parseSortBy } from "./order.ts";
import type { LookupCondition, TrackedTable } from "./tracked-table.ts";
import { PyRecord } from "./record.ts";
import { PyRecordSet } from "./record-set.ts";

/** A table by name, which formulas look up records in. */
export class PyUserTable extends PyObject {
  readonly typeName = "UserTable";
  readonly table: TrackedTable;
  readonly #lookUpRecords: PyFunction;
  readonly #lookUpOne: PyFunction;

  constructor(table: TrackedTable) {
    super();
    this.table = table;
    this.#lookUpRecords = new PyFunction("lookupRecords", (positional, keywords) => {
      checkPositional("lookupRecords", positional);
      return lookUpRecords(table, keywords);
    });
    this.#lookUpOne = new PyFunction("lookupOne", (positional, keywords) => {
      checkPositional("lookupOne", positional);
      const found = lookUpRecords(table, keywords);
      return new PyRecord(found.table, found.ids[0] ?? 0);
    });
  }

  repr(): string {
    return `<UserTable ${this.table.tableId}>`;
  }

  override attribute(name: string): PyValue | undefined {
    switch (name) {
      case "all":
        return lookUpRecords(this.table, NO_CONDITIONS);
      case "lookupRecords":
        return this.#lookUpRecords;
      case "lookupOne":
        return this.#lookUpOne;
      case "getSummarySourceGroup":
        return new PyFunction(name, ([record = null]) => {
          if (!(record instanceof PyRecord)) throw typeError("getSummarySourceGroup() takes a record");
          const { path: table, ids } = this.table.summarySource(record.id);
          return new PyRecordSet(table, ids);
        });
      case "Record":
        return recordType(
          this.table.tableId,
          (value) => value instanceof PyRecord && value.table.tableId === this.table.tableId,
        );
      case "RecordSet":
        return recordType(
          this.table.tableId,
          (value) => value instanceof PyRecordSet && value.table.tableId === this.table.tableId,
        );
      default:
        return undefined;
    }
  }
}

/** Returns the type of a table's records or record sets, for isinstance(). */
function recordType(table: string, isInstance: (value: PyValue) => boolean): PyType {
  const constructorFunction = new PyFunction(table, () => {
    throw typeError("records are looked up, not made");
  });
  return new PyType("usercode", constructorFunction, { isInstance });
}

/** Approximate cost of finding a key. */
const LOOKUP_STEPS = 20;

const NO_CONDITIONS: Keywords = new Map();

function checkPositional(name: string, positional: readonly PyValue[]): void {
  if (positional.length > 0) throw typeError(`${name}() takes conditions by name, as in ${name}(Column=value)`);
}

/** Returns the records with these column values; the keywords `order_by` and `sort_by` specify the order. */
export function lookUpRecords(table: TrackedTable, keywords: Keywords): PyRecordSet {
  spendSteps(LOOKUP_STEPS);
  let order: Order = BY_ID;
  const conditions: LookupCondition[] = [];
  let sortBy: PyValue | undefined;
  let orderBy: PyValue | undefined;
  for (const [column, value] of keywords) {
    if (column === "order_by") orderBy = value;
    else if (column === "sort_by") sortBy = value;
    else
      conditions.push(
        value instanceof PyContains
          ? { column, value: value.value, contains: true, matchEmpty: matchEmptyOf(value) }
          : { column, value, contains: false },
      );
  }
  if (sortBy !== undefined && sortBy !== null) order = parseSortBy(sortBy);
  else if (orderBy !== undefined) order = parseOrderBy(orderBy);
  const { path, ids } = table.lookUp(conditions, order);
  return new PyRecordSet(path, ids, order);
}

const matchEmptyOf = ({ matchEmpty }: PyContains): PyValue | undefined =>
  matchEmpty === NO_MATCH_EMPTY ? undefined : matchEmpty;
