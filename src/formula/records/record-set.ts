import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { PyError } from "../runtime/errors.ts";
import { type HashKey, PyObject, type PyValue } from "../runtime/object.ts";
import { requireIndex } from "../runtime/signature.ts";
import { selectRange, PySlice, sliceRange } from "../runtime/collections/slice-values.ts";
import { numberOf, PyList } from "../runtime/values.ts";
import { recordFinder } from "./record-finder.ts";
import { BY_ID, type Order } from "./order.ts";
import type { TrackedTable } from "./tracked-table.ts";
import { PyRecord } from "./record.ts";

/** Rows of a table in some order. Reading an attribute reads it from all rows. */
export class PyRecordSet extends PyObject {
  readonly typeName = "RecordSet";
  readonly table: TrackedTable;
  /** Must not be modified by callers. */
  readonly ids: readonly number[];
  readonly order: Order;

  constructor(table: TrackedTable, ids: readonly number[], order: Order = BY_ID) {
    super();
    this.table = table;
    this.ids = ids;
    this.order = order;
  }

  override get recordKind(): "set" {
    return "set";
  }

  repr(): string {
    return `${this.table.tableId}[[${this.ids.join(", ")}]]`;
  }

  override truth(): boolean {
    return this.ids.length > 0;
  }

  override length(): number {
    return this.ids.length;
  }

  override *iterate(): Generator<PyRecord> {
    for (const id of this.ids) {
      spendSteps(1);
      yield new PyRecord(this.table, id);
    }
  }

  override contains(value: PyValue): boolean {
    spendSteps(this.ids.length / 16);
    if (value instanceof PyRecord) return value.table.tableId === this.table.tableId && this.ids.includes(value.id);
    const number = numberOf(value);
    return number !== undefined && this.ids.includes(Number(number));
  }

  override equals(other: PyValue): boolean {
    if (!(other instanceof PyRecordSet) || other.table.tableId !== this.table.tableId) return false;
    spendSteps(this.ids.length);
    return other.ids.length === this.ids.length && this.ids.every((id, i) => id === other.ids[i]);
  }

  override hashKey(): HashKey | undefined {
    return undefined;
  }

  override getItem(index: PyValue): PyValue | undefined {
    if (index instanceof PySlice) {
      const range = sliceRange(this.ids.length, index.start, index.stop, index.step);
      spendBytes(this.ids.length * 8);
      return new PyRecordSlice(this.table, selectRange(this.ids, range), this.order);
    }
    const position = requireIndex(index);
    const id = this.ids[position < 0 ? position + this.ids.length : position];
    if (id === undefined) throw new PyError("IndexError", "list index out of range");
    return new PyRecord(this.table, id);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "find" || name === "_find") return recordFinder(this);
    if (name === "id") {
      spendBytes(this.ids.length * 16);
      return new PyList(this.ids.map((id) => BigInt(id)));
    }
    if (name.startsWith("__")) return undefined;
    return attributeOfRecords(this, name);
  }
}

/** A slice of a record set, such as `set[1:]`: cells of type Any store it as one reference list. */
export class PyRecordSlice extends PyRecordSet {}

/**
 * Reads a column of all records. References become a record set: in row order, or without duplicates for reference
 * lists.
 */
function attributeOfRecords({ table, ids }: PyRecordSet, name: string): PyValue {
  const type = table.typeOf(name);
  spendBytes(ids.length * 16);
  const values = table.readAll(ids, name);
  if (type.target === undefined) return new PyList(values);
  const next = table.followReference(name, type.target);
  if (type.base === "Ref") {
    const found = values.flatMap((value) => (value instanceof PyRecord ? [value.id] : []));
    return found.length === values.length ? new PyRecordSet(next, found) : new PyList(values);
  }
  const found = new Set<number>();
  for (const value of values) if (value instanceof PyRecordSet) for (const id of value.ids) found.add(id);
  return new PyRecordSet(next, [...found]);
}
