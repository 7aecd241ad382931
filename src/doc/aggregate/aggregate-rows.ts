import type { CellValue } from "../../values/cell.ts";
import type { ReadConnection } from "../cursors.ts";
import type { OpenDocument } from "../document.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import { type Row, RowScan } from "../read/row-scan.ts";
import { positionOf } from "../read/sort-comparator.ts";
import type { VisibleTable } from "../read/visibility-filter.ts";
import type { VisibleRows } from "../read/visible-rows.ts";
import {
  type AggregatePlan,
  type AggregateRequest,
  type CellReader,
  isEmpty,
  planAggregate,
} from "./aggregate-plan.ts";
import { type Accumulator, createAccumulator, type MeasuredCell } from "./measures.ts";
import { compareValues } from "./compare-values.ts";
import { ValueBudget } from "./value-budget.ts";

/** A group of rows with the same values. */
interface Group {
  readonly values: readonly unknown[];
  readonly accumulators: readonly Accumulator[];
}

interface AggregateOptions {
  readonly visibleTable: VisibleTable;
  readonly visibleRows: VisibleRows | null;
  readonly where: SqlCondition;
  readonly request: AggregateRequest;
}

const BATCH_SIZE = 4096;
/** Groups of one chunk of the answer. */
const CHUNK_GROUPS = 1000;

/**
 * Yields the chunks of `{"groups": [{…}, …], "total", "totals"?}`; empty ones while rows are read, where a reader may
 * take over.
 * @throws AppError `invalid` for columns that do not exist for the caller; `limit.exceeded`
 */
export function aggregateChunks(
  document: OpenDocument,
  source: ReadConnection,
  options: AggregateOptions,
): Generator<string, void> {
  const { visibleTable, request } = options;
  const plan = planAggregate(visibleTable.table, request, document.timezone);
  const budget = new ValueBudget(document.clock);
  const aggregation = new Aggregation(plan, budget, request.totals);
  const scan = createScan(source, options, aggregation);
  // A refusal must come before the first byte of the answer.
  if (!document.handsOffLargeReads) while (aggregation.addNext(scan));
  return chunks(aggregation, scan, request);
}

function* chunks(aggregation: Aggregation, scan: RowScan, request: AggregateRequest): Generator<string, void> {
  while (aggregation.addNext(scan)) yield "";
  const groups = aggregation.sorted(request.sort);
  const shown = groups.slice(0, request.limit);
  let separator = '{"groups":[';
  for (let at = 0; at < shown.length; at += CHUNK_GROUPS) {
    const part = shown.slice(at, at + CHUNK_GROUPS).map((group) => aggregation.describe(group));
    yield separator + JSON.stringify(part).slice(1, -1);
    separator = ",";
  }
  const end = JSON.stringify({ total: groups.length, totals: aggregation.totals() }).slice(1);
  yield `${separator === "," ? "" : separator}],${end}`;
}

function createScan(
  source: ReadConnection,
  { visibleTable: { table }, visibleRows, where }: AggregateOptions,
  { columns }: Aggregation,
): RowScan {
  const position = table.fieldById.get("manualSort");
  const order = { kind: "id", descending: false } as const;
  const selection = { where, order, limit: Number.POSITIVE_INFINITY, visibleRows };
  const all = [...columns, ...(position?.absent === undefined && position ? [position.id] : [])];
  return new RowScan(source, { table, columns: all, selection });
}

/** Reads a cell of a row. */
type CellOf = (row: Row) => MeasuredCell;

class Aggregation {
  /** The stored columns that rows have after the id; the position follows, where there is one. */
  readonly columns: string[] = [];
  readonly #plan: AggregatePlan;
  readonly #budget: ValueBudget;
  readonly #groups = new Map<string, Group>();
  readonly #total: Group | null;
  readonly #groupCells: readonly CellOf[];
  readonly #measureCells: readonly (CellOf | null)[];
  #isDone = false;

  constructor(plan: AggregatePlan, budget: ValueBudget, hasTotals: boolean) {
    this.#plan = plan;
    this.#budget = budget;
    this.#groupCells = plan.groups.map((reader) => this.#cellOf(reader));
    this.#measureCells = plan.measures.map(({ cell }) => cell && this.#cellOf(cell));
    // Without columns to group by there is one group, also of no rows.
    if (plan.groups.length === 0) this.#groups.set("[]", this.#createGroup([]));
    this.#total = hasTotals ? this.#createGroup([]) : null;
  }

  /** Adds further rows; returns false at the end. */
  addNext(scan: RowScan): boolean {
    if (this.#isDone) return false;
    const rows = scan.take(BATCH_SIZE);
    for (const row of rows) this.#add(row);
    this.#budget.checkTime();
    this.#isDone = rows.length === 0;
    return !this.#isDone;
  }

  /** Returns the groups in order; by their own values where `sort` leaves ties. */
  sorted(sort: readonly string[]): Group[] {
    const { groups, measures } = this.#plan;
    const names = [...groups, ...measures].map(({ name }) => name);
    const keys = [...sort, ...groups.map(({ name }) => name)].map((element) => ({
      at: names.indexOf(element.replace(/^-/, "")),
      direction: element.startsWith("-") && !names.includes(element) ? -1 : 1,
    }));
    const rows = [...this.#groups.values()].map((group) => ({
      group,
      values: [...group.values, ...group.accumulators.map((one) => one.result())],
    }));
    const compare = (a: (typeof rows)[number], b: (typeof rows)[number]): number => {
      for (const { at, direction } of keys) {
        const difference = compareValues(a.values[at], b.values[at]);
        if (difference !== 0) return difference * direction;
      }
      return 0;
    };
    return rows.toSorted(compare).map(({ group }) => group);
  }

  describe({ values, accumulators }: Group): object {
    const { groups, measures } = this.#plan;
    return Object.fromEntries([
      ...groups.map(({ name }, at) => [name, values[at]] as const),
      ...measures.map(({ name }, at) => [name, accumulators[at]?.result()] as const),
    ]);
  }

  totals(): object | undefined {
    const group = this.#total;
    if (!group) return undefined;
    const { measures } = this.#plan;
    return Object.fromEntries(measures.map(({ name }, at) => [name, group.accumulators[at]?.result()]));
  }

  #add(row: Row): void {
    const values = this.#groupCells.map((cellOf) => cellOf(row).shown ?? null);
    const key = JSON.stringify(values);
    let group = this.#groups.get(key);
    if (!group) {
      this.#budget.addGroup();
      group = this.#createGroup(values);
      this.#groups.set(key, group);
    }
    const place = { id: Number(row[0]), position: positionOf(row[this.columns.length + 1]) };
    for (const [at, cellOf] of this.#measureCells.entries()) {
      const cell = cellOf ? cellOf(row) : WHOLE_ROW;
      if (cellOf && isEmpty(cell)) continue;
      group.accumulators[at]?.add(cell, place);
      this.#total?.accumulators[at]?.add(cell, place);
    }
  }

  #createGroup(values: readonly unknown[]): Group {
    const accumulators = this.#plan.measures.map(({ measure }) => createAccumulator(measure, this.#budget));
    return { values, accumulators };
  }

  #cellOf({ field, shown }: CellReader): CellOf {
    if (field === null) {
      return (row) => {
        const id = Number(row[0]);
        return { raw: id, shown: id };
      };
    }
    const { type, absent } = field;
    if (absent !== undefined) return () => ({ raw: absent, shown: shown(absent) });
    let at = this.columns.indexOf(field.id);
    if (at < 0) at = this.columns.push(field.id) - 1;
    return (row) => {
      const raw: CellValue = type.decodeRaw(row[at + 1] ?? null);
      return { raw, shown: shown(raw) };
    };
  }
}

/** What is counted by a count without a column. */
const WHOLE_ROW: MeasuredCell = { raw: true, shown: true };
