import { spendSteps } from "../../formula/runtime/budget.ts";
import { PyError, unknownColumn } from "../../formula/runtime/errors.ts";
import type { FormulaRow } from "../../formula/formula-row.ts";
import { BY_ID, compareKeys, type ErrorCell, type Order } from "../../formula/records/order.ts";
import { PyRecord } from "../../formula/records/record.ts";
import { PyUserTable } from "../../formula/records/table.ts";
import type { LookupCondition, TrackedTable } from "../../formula/records/tracked-table.ts";
import { PyObject, type PyValue } from "../../formula/runtime/values.ts";
import { cellToPython } from "../../formula/cell-to-python.ts";
import type { ColumnType } from "../../values/column-type.ts";
import { conditionColumn, conditionKey } from "../formulas/lookups/lookup-conditions.ts";
import { joinKeys, type Key } from "../formulas/lookups/lookup-keys.ts";
import { circular, type ColumnNode, type TableNode } from "../formulas/nodes.ts";
import { userValue } from "../formulas/user-value.ts";
import { isHiddenColumn } from "../schema.ts";
import { Stopped, type TraceSession } from "./trace.ts";

/** Approximate cost of reading and comparing a row, as while formulas are computed. */
const STEPS_PER_SORTED_ROW = 20;

/** A table as a traced formula reaches it. */
export class TracedTable implements TrackedTable {
  readonly #session: TraceSession;
  readonly #node: TableNode;

  constructor(session: TraceSession, node: TableNode) {
    this.#session = session;
    this.#node = node;
  }

  get tableId(): string {
    return this.#node.id;
  }

  read(id: number, colId: string): PyValue {
    return this.#session.value(this.#column(colId), id);
  }

  readAll(ids: readonly number[], colId: string): PyValue[] {
    const column = this.#column(colId);
    return ids.map((id) => this.#session.value(column, id));
  }

  typeOf(colId: string): ColumnType {
    return this.#column(colId).kind;
  }

  followReference(_colId: string, tableId: string): TrackedTable {
    return this.#session.tableFor(this.#session.calculation.table(tableId));
  }

  visibleColumns(): readonly string[] {
    const { owner, readable } = this.#session;
    return [...this.#node.columns.values()]
      .filter((column) => column !== owner && !isHiddenColumn(column.id))
      .filter((column) => !readable || readable.field(this.#node.id, column.id))
      .map((column) => column.id);
  }

  lookUp(conditions: readonly LookupCondition[], order: Order): { path: TrackedTable; ids: readonly number[] } {
    const { calculation, owner, currentRow } = this.#session;
    const isOwn = (node: ColumnNode | undefined) => node !== undefined && node === owner && !owner.trigger;
    const columns = conditions.map((condition) => conditionColumn(this.#keyColumn(condition.column), condition));
    const orderColumns = order.keys.flatMap(({ column }) => this.#keyColumn(column) ?? []);
    if (owner && columns.some(({ node }) => isOwn(node))) throw circular(owner);
    requireTable(this.#session, this.#node);
    const map = calculation.map(this.#node, columns);
    const keys = columns.map((column, at) => conditionKey(column, conditions[at]?.value ?? null));
    const found = keys.includes(undefined) ? [] : map.rowsOf(keyOf(keys as Key[]));
    const nodes = [...columns.flatMap(({ node }) => node ?? []), ...orderColumns];
    const readable = readableRows(this.#session, this.#node, { ids: found, columns: nodes.map(({ id }) => id) });
    if (owner && orderColumns.some(isOwn) && readable.includes(currentRow)) throw circular(owner);
    const ids = this.#ordered(readable, order, orderColumns);
    this.#session.recordLookup({
      kind: "lookup",
      table: this.#node,
      criteria: conditions.map((condition) => ({
        column: condition.column,
        contains: condition.contains,
        value: this.#session.conditionCell(this.#node, condition),
      })),
      order,
      rows: ids,
    });
    return { path: this, ids };
  }

  positionOf(id: number, ids: readonly number[]): number {
    return ids.indexOf(id);
  }

  summarySource(id: number): { path: TrackedTable; ids: readonly number[] } {
    const { calculation, readable } = this.#session;
    const group = calculation.summaryKey(this.#node, id);
    if (!group) throw new PyError("AttributeError", `${this.#node.id} is no summary`);
    const source = this.#session.tableFor(group.source);
    const summary = calculation.graph.summaries.get(this.#node);
    if (readable && summary) {
      const own = summary.groups.map((column) => column.own.id);
      if (readable.rowsWith(this.#node.id, [id], own).length === 0) throw new Stopped();
      for (const { source: column } of summary.groups) readableColumn(this.#session, group.source, column.id);
    }
    requireTable(this.#session, group.source);
    const grouped = group.columns.flatMap(({ node }) => node?.id ?? []);
    const ids = readableRows(this.#session, group.source, {
      ids: calculation.map(group.source, group.columns).rowsOf(group.key),
      columns: grouped,
    });
    const criteria = (summary?.groups ?? []).map(({ own, source: column }) => ({
      column: column.id,
      contains: false,
      value: calculation.cellOf(own, id) ?? null,
    }));
    this.#session.recordLookup({ kind: "group", table: group.source, criteria, order: BY_ID, rows: ids });
    return { path: source, ids };
  }

  #ordered(ids: readonly number[], order: Order, columns: readonly ColumnNode[]): readonly number[] {
    if (columns.length === 0) return order.isIdDescending ? ids.toReversed() : ids;
    spendSteps(ids.length * STEPS_PER_SORTED_ROW);
    const keyed = ids.map((row) => ({ row, keys: columns.map((column) => this.#sortKey(column, row)) }));
    const byId = order.isIdDescending ? -1 : 1;
    keyed.sort((a, b) => compareKeys(a.keys, b.keys, order.keys) || (a.row - b.row) * byId);
    return keyed.map(({ row }) => row);
  }

  #sortKey(column: ColumnNode, row: number): PyValue | ErrorCell {
    try {
      return this.#session.sortValue(column, row);
    } catch (error) {
      if (error instanceof PyError && error.catchable) return { failed: error.typeName };
      throw error;
    }
  }

  #column(colId: string): ColumnNode {
    return readableColumn(this.#session, this.#node, colId);
  }

  /** Returns a lookup or sort column; undefined for the row id. */
  #keyColumn(colId: string): ColumnNode | undefined {
    if (colId === "id") return undefined;
    if (!this.#session.readable && !this.#node.columns.has(colId)) throw new PyError("KeyError", colId);
    return this.#column(colId);
  }
}

/** Returns a column; for a restricted caller a missing one is the same as one that they cannot read. */
function readableColumn({ readable }: TraceSession, table: TableNode, colId: string): ColumnNode {
  const column = table.columns.get(colId);
  if (readable && !(column && readable.field(table.id, colId))) throw new Stopped();
  if (!column) throw unknownColumn(colId);
  return column;
}

function requireTable({ readable }: TraceSession, table: TableNode): void {
  if (readable && !readable.table(table.id)) throw new Stopped();
}

const readableRows = (
  { readable }: TraceSession,
  table: TableNode,
  { ids, columns }: { ids: readonly number[]; columns: readonly string[] },
): readonly number[] => (readable ? readable.rowsWith(table.id, ids, columns) : ids);

const keyOf = (keys: readonly Key[]): Key => {
  const [only] = keys;
  return keys.length === 1 && only !== undefined ? only : joinKeys(keys);
};

/** The row that a formula is traced for. */
export class TracedRow implements FormulaRow {
  readonly #session: TraceSession;
  readonly #column: ColumnNode;
  readonly #row: number;

  constructor(session: TraceSession, column: ColumnNode, row: number) {
    this.#session = session;
    this.#column = column;
    this.#row = row;
  }

  read(colId: string): PyValue {
    if (colId === "id") return BigInt(this.#row);
    return this.#session.tableFor(this.#column.table).read(this.#row, colId);
  }

  record(): PyValue {
    return new PyRecord(this.#session.tableFor(this.#column.table), this.#row);
  }

  table(name?: string): PyValue {
    const node = name === undefined ? this.#column.table : this.#session.calculation.table(name);
    return new PyUserTable(this.#session.tableFor(node));
  }

  triggerValue(name: "value" | "user"): PyValue {
    if (name === "user") return new TracedUser(this.#session);
    const { evaluation } = this.#session.calculation;
    const { kind } = this.#column;
    return cellToPython(evaluation.previous(this.#column, this.#row), kind, (table) =>
      this.#session.tableFor(this.#session.calculation.table(table)),
    );
  }
}

/** The `user` object of a trigger formula. */
class TracedUser extends PyObject {
  readonly typeName = "User";
  readonly #session: TraceSession;
  readonly #value: PyValue;

  constructor(session: TraceSession) {
    super();
    this.#session = session;
    this.#value = userValue(session.actor);
  }

  repr(): string {
    return "<User>";
  }

  override attribute(name: string): PyValue | undefined {
    const value = this.#value instanceof PyObject ? this.#value.attribute(name) : undefined;
    if (value !== undefined) this.#session.recordUser(name);
    return value;
  }
}
