import { spendSteps } from "../budget.ts";
import { typeError } from "../errors.ts";
import { NO_MATCH_EMPTY, PyContains } from "../functions/contains.ts";
import { PyObject, type PyValue } from "../object.ts";
import { PyType } from "../types.ts";
import { type Keywords, PyFunction } from "../values.ts";
import { BY_ID, type Order, parseOrderBy, parseSortBy } from "./order.ts";
import type { Condition, RecordPath } from "./path.ts";
import { PyRecord } from "./record.ts";
import { PyRecordSet } from "./record-set.ts";

/** A table by its name: what formulas look records up in. */
export class PyUserTable extends PyObject {
  readonly typeName = "UserTable";
  readonly path: RecordPath;
  readonly #lookUpRecords: PyFunction;
  readonly #lookUpOne: PyFunction;

  constructor(path: RecordPath) {
    super();
    this.path = path;
    this.#lookUpRecords = new PyFunction("lookupRecords", (positional, keywords) => {
      checkPositional("lookupRecords", positional);
      return lookUpRecords(path, keywords);
    });
    this.#lookUpOne = new PyFunction("lookupOne", (positional, keywords) => {
      checkPositional("lookupOne", positional);
      const found = lookUpRecords(path, keywords);
      return new PyRecord(found.path, found.ids[0] ?? 0);
    });
  }

  repr(): string {
    return `<UserTable ${this.path.table}>`;
  }

  override attribute(name: string): PyValue | undefined {
    switch (name) {
      case "all":
        return lookUpRecords(this.path, NO_CONDITIONS);
      case "lookupRecords":
        return this.#lookUpRecords;
      case "lookupOne":
        return this.#lookUpOne;
      case "getSummarySourceGroup":
        return new PyFunction(name, ([record = null]) => {
          if (!(record instanceof PyRecord)) throw typeError("getSummarySourceGroup() takes a record");
          const { path, ids } = this.path.summarySource(record.id);
          return new PyRecordSet(path, ids);
        });
      case "Record":
        return recordType(
          this.path.table,
          (value) => value instanceof PyRecord && value.path.table === this.path.table,
        );
      case "RecordSet":
        return recordType(
          this.path.table,
          (value) => value instanceof PyRecordSet && value.path.table === this.path.table,
        );
      default:
        return undefined;
    }
  }
}

/** The type of the records, or sets of records, of a table: for isinstance(). */
function recordType(table: string, isInstance: (value: PyValue) => boolean): PyType {
  const maker = new PyFunction(table, () => {
    throw typeError("records are looked up, not made");
  });
  return new PyType("usercode", maker, { isInstance });
}

/** About what finding a key takes. */
const LOOKUP_STEPS = 20;

const NO_CONDITIONS: Keywords = new Map();

function checkPositional(name: string, positional: readonly PyValue[]): void {
  if (positional.length > 0) throw typeError(`${name}() takes conditions by name, as in ${name}(Column=value)`);
}

/** The records that hold these values; `order_by` and `sort_by` among them tell the order. */
export function lookUpRecords(table: RecordPath, keywords: Keywords): PyRecordSet {
  spendSteps(LOOKUP_STEPS);
  let order: Order = BY_ID;
  const conditions: Condition[] = [];
  let sortBy: PyValue | undefined;
  let orderBy: PyValue | undefined;
  for (const [column, value] of keywords) {
    if (column === "order_by") orderBy = value;
    else if (column === "sort_by") sortBy = value;
    else
      conditions.push(
        value instanceof PyContains
          ? { column, value: value.value, contains: true, matchEmpty: emptyOf(value) }
          : { column, value, contains: false },
      );
  }
  if (sortBy !== undefined && sortBy !== null) order = parseSortBy(sortBy);
  else if (orderBy !== undefined) order = parseOrderBy(orderBy);
  const { path, ids } = table.lookUp(conditions, order);
  return new PyRecordSet(path, ids, order);
}

const emptyOf = ({ matchEmpty }: PyContains): PyValue | undefined =>
  matchEmpty === NO_MATCH_EMPTY ? undefined : matchEmpty;
