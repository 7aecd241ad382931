import { columnFormatter } from "../../exchange/column-formatter.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ReadConnection } from "../cursors.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import { exportColumns, toExportColumn } from "../read/exported-table.ts";
import { type Row, RowScan } from "../read/row-scan.ts";
import type { VisibilityFilter, VisibleTable } from "../read/visibility-filter.ts";
import type { VisibleRows } from "../read/visible-rows.ts";
import {
  type AggregatePlan,
  type AggregateRequest,
  type CellReader,
  decoder,
  emptyTest,
  type GroupReader,
  planAggregate,
} from "./aggregate-plan.ts";
import { distinctKeys } from "./distinct-keys.ts";
import { GroupLevel } from "./group-level.ts";
import { GroupTree, type TreeMeasure } from "./group-tree.ts";
import { type Accumulator, createAccumulator } from "./measures.ts";
import { recordKeys, recordSort } from "./record-order.ts";
import { totalsBySql } from "./sql-totals.ts";
import { ValueBudget } from "./value-budget.ts";

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
 * Yields the chunks of `{"groups": [{…}, …], "total", "totals"?, "subtotals"?, "recordSort"?}`; empty ones while rows are
 * read, where a reader may take over.
 * @throws AppError `invalid` for columns that do not exist for the caller; `limit.exceeded`
 */
export function aggregateChunks(
  visibility: VisibilityFilter,
  source: ReadConnection,
  options: AggregateOptions,
): Iterator<string, void> {
  const { document } = visibility;
  const totals = readTotals(visibility, source, options);
  if (totals) return [`{"groups":[${JSON.stringify(totals)}],"total":1}`].values();
  const aggregation = new Aggregation(visibility, options);
  const scan = createScan(source, options, aggregation.columns);
  // A refusal must come before the first byte of the answer.
  if (!document.handsOffLargeReads) while (aggregation.addNext(scan));
  return chunks(aggregation, scan, options.request);
}

/** Returns the only group of a request without columns to group by; null where rows have to be read. */
function readTotals(
  { document }: VisibilityFilter,
  source: ReadConnection,
  { visibleTable: { table }, visibleRows, where, request }: AggregateOptions,
): Readonly<Record<string, unknown>> | null {
  if (visibleRows !== null || request.groupBy.length > 0 || request.totals || request.subtotals) return null;
  return totalsBySql(source, { table, where, plan: planAggregate(table, request, document.timezone) });
}

function* chunks(aggregation: Aggregation, scan: RowScan, request: AggregateRequest): Generator<string, void> {
  while (aggregation.addNext(scan)) yield "";
  const { tree } = aggregation;
  const groups = tree.leaves(request.sort);
  const shown = groups.slice(0, request.limit);
  let separator = '{"groups":[';
  for (let at = 0; at < shown.length; at += CHUNK_GROUPS) {
    const part = shown.slice(at, at + CHUNK_GROUPS).map((group) => tree.describe(group));
    yield separator + JSON.stringify(part).slice(1, -1);
    separator = ",";
  }
  const end = { total: groups.length, totals: request.totals ? tree.totals() : undefined };
  yield `${separator === "," ? "" : separator}],${JSON.stringify(end).slice(1, -1)}`;
  if (request.subtotals) {
    const levels = tree.upperLevels(request.sort).map((level) => level.map((group) => tree.describe(group)));
    yield `,"subtotals":${JSON.stringify(levels)}`;
  }
  yield request.recordOrder ? `,"recordSort":${JSON.stringify(aggregation.recordSort.join(","))}}` : "}";
}

function createScan(
  source: ReadConnection,
  { visibleTable: { table }, visibleRows, where }: AggregateOptions,
  columns: readonly string[],
): RowScan {
  const order = { kind: "id", descending: false } as const;
  const selection = { where, order, limit: Number.POSITIVE_INFINITY, visibleRows };
  return new RowScan(source, { table, columns, selection });
}

/** Reads the rows of a request into its groups. */
class Aggregation {
  /** The stored columns that rows have after the id. */
  readonly columns: string[] = [];
  readonly tree: GroupTree;
  /** The sort of records in whose order the groups are; empty without one. */
  readonly recordSort: string[] = [];
  readonly #visibility: VisibilityFilter;
  readonly #visibleTable: VisibleTable;
  readonly #budget: ValueBudget;
  #isDone = false;

  constructor(visibility: VisibilityFilter, { visibleTable, request }: AggregateOptions) {
    this.#visibility = visibility;
    this.#visibleTable = visibleTable;
    this.#budget = new ValueBudget(visibility.document.clock);
    const plan = planAggregate(visibleTable.table, request, visibility.document.timezone);
    const levels = plan.groups.map((group) => this.#level(group, request.recordOrder));
    const measures = plan.measures.map((_, at) => this.#measure(plan, at));
    this.tree = new GroupTree({ plan, request, levels, measures, budget: this.#budget });
  }

  /** Adds further rows; returns false at the end. */
  addNext(scan: RowScan): boolean {
    if (this.#isDone) return false;
    const rows = scan.take(BATCH_SIZE);
    for (const row of rows) this.tree.add(row);
    this.#budget.checkTime();
    this.#isDone = rows.length === 0;
    if (this.#isDone) this.tree.checkValues();
    return !this.#isDone;
  }

  #level(group: GroupReader, isRecordOrder: boolean): GroupLevel {
    const { document } = this.#visibility;
    const { table } = this.#visibleTable;
    const decode = decoder(group);
    const sort = isRecordOrder ? recordSort(document, table, group) : [];
    this.recordSort.push(...sort);
    const keys = recordKeys(document, table, sort).filter(({ field }) => field?.absent === undefined);
    return new GroupLevel({
      at: this.#placeOf(group),
      shown: (stored) => group.shown(decode(stored)),
      text: group.text === undefined ? null : this.#formatter(group),
      keys: keys.map((key) => ({ key, at: this.#placeOf(key) })),
    });
  }

  /** Returns where rows have a column; 0, the id, for columns that are not stored. */
  #placeOf({ field }: Pick<CellReader, "field">): number {
    return field === null || field.absent !== undefined ? 0 : this.#placeOfColumn(field.id);
  }

  #placeOfColumn(id: string): number {
    const at = this.columns.indexOf(id);
    return (at < 0 ? this.columns.push(id) - 1 : at) + 1;
  }

  /** Returns the function that formats a column for display. */
  #formatter({ field, column, shown }: GroupReader): (row: Row) => string {
    const { document } = this.#visibility;
    const { id } = this.#visibleTable.table;
    if (field === null || !document.schema.tableById.has(id)) return (row) => String(shown(Number(row[0])));
    const table = this.#visibility.userTable(id);
    const chosen = [table.columnById.get(column)].flatMap((info) => info ?? []).map(toExportColumn);
    const { exported, stored } = exportColumns(this.#visibility, table, chosen);
    const places = stored.map((name) => this.#placeOfColumn(name));
    const [format] = exported.map((one) => columnFormatter(one, document.formatSettings));
    return (row) => format?.([row[0] ?? null, ...places.map((at) => row[at] ?? null)]) ?? "";
  }

  #measure({ measures }: AggregatePlan, at: number): TreeMeasure {
    const { measure = "count", cell = null } = measures[at] ?? {};
    const budget = this.#budget;
    if (cell === null) {
      const column = { shown: () => true, distinctKey: () => true, positionAt: undefined };
      return { read: null, isEmpty: () => false, create: () => createAccumulator(measure, column, budget) };
    }
    const place = this.#placeOf(cell);
    const decode = decoder(cell);
    const position = measure === "first" || measure === "last" ? this.#positionField() : undefined;
    const column = {
      shown: cell.shown,
      distinctKey: distinctKeys(cell),
      positionAt: position === undefined ? undefined : this.#placeOfColumn(position),
    };
    return {
      read: (row: readonly SqlValue[]): CellValue => decode(row[place] ?? null),
      isEmpty: emptyTest(cell),
      create: (): Accumulator => createAccumulator(measure, column, budget),
    };
  }

  #positionField(): string | undefined {
    const position = this.#visibleTable.table.fieldById.get("manualSort");
    return position?.absent === undefined ? position?.id : undefined;
  }
}
