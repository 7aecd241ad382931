import type { Calculation } from "../formulas/calculation.ts";
import type { ColumnNode } from "../formulas/nodes.ts";
import type { ColumnInfo, Schema } from "../schema.ts";
import type { ReadableCells } from "./readable-cells.ts";
import type { CellRead, Trace } from "./trace.ts";
import type { Tracer } from "./tracer.ts";

export type DependentKind = "formula" | "trigger" | "display" | "style" | "summary";

/** A column with cells that depend on the cell. */
export interface Dependent {
  readonly table: string;
  readonly column: string;
  readonly kind: DependentKind;
  /** The number of dependent cells; null where it is not counted. */
  readonly cells: number | null;
}

interface DependentsOptions {
  readonly schema: Schema;
  readonly calculation: Calculation;
  readonly cells: ReadableCells;
  /** False for a caller from whom nothing is hidden. */
  readonly isRestricted: boolean;
  readonly tracer: Tracer;
}

/** In larger tables, cells whose dependencies only an evaluation shows are not counted. */
const MAX_EVALUATED_ROWS = 2000;
/** The trigger formula runs on every edit of its row. */
const ON_EVERY_CHANGE = 2;

/**
 * Returns what depends directly on a cell, without what the caller cannot read. For restricted callers, formulas are
 * evaluated on the cells that they can read: which rows a hidden reference connects must not show.
 */
export function dependentsOf(target: CellRead, options: DependentsOptions): Dependent[] {
  const { calculation, cells } = options;
  const found: Dependent[] = [];
  for (const table of calculation.tables.values()) {
    if (!cells.table(table.id)) continue;
    for (const column of table.formulas) {
      if (!cells.field(table.id, column.id)) continue;
      const named = namedBy(column, options.schema);
      if (!named || !cells.field(table.id, named.column)) continue;
      const count = column.trigger ? triggeredCells(target, column, options) : dependentCells(target, column, options);
      if (count === 0) continue;
      const { kind } = named;
      found.push({ table: table.id, column: named.column, kind: column.trigger ? "trigger" : kind, cells: count });
    }
  }
  return [...merged(found), ...summaryGroups(target, options)];
}

/** Returns the column that a formula column is shown as; undefined for a helper that belongs to none. */
function namedBy(
  { id, table }: ColumnNode,
  { tableById }: Schema,
): { column: string; kind: DependentKind } | undefined {
  const info = tableById.get(table.id);
  const column = info?.columnById.get(id);
  if (!info || !column) return undefined;
  if (!column.isHidden) return { column: id, kind: "formula" };
  const owner = (isOwner: (other: ColumnInfo) => boolean) => info.columns.find(isOwner)?.id;
  const styled = owner(({ rules }) => rules?.includes(column.ref) ?? false);
  if (styled !== undefined) return { column: styled, kind: "style" };
  const displayed = owner(({ displayCol }) => displayCol === column.ref);
  return displayed === undefined ? undefined : { column: displayed, kind: "display" };
}

function triggeredCells({ column, row }: CellRead, reader: ColumnNode, { cells }: DependentsOptions): number {
  if (reader.table !== column.table || reader === column) return 0;
  const runs = reader.trigger?.when === ON_EVERY_CHANGE || column.triggered.includes(reader);
  return runs && cells.cell(reader.table.id, row, reader.id) !== undefined ? 1 : 0;
}

function dependentCells(target: CellRead, reader: ColumnNode, options: DependentsOptions): number | null {
  const { calculation, cells, isRestricted } = options;
  const { column, row } = target;
  const { graph } = calculation;
  const readsOwnRow = column.sameRowReaders.has(reader);
  const readsOthers = graph.readsOtherRows(reader, column) || groupsBy(reader, column, calculation);
  if (!readsOthers) return readsOwnRow && cells.cell(reader.table.id, row, reader.id) !== undefined ? 1 : 0;
  const isKnown = !isRestricted && graph.isResolved(reader) && !graph.lookups.isKeyFor(column, reader);
  return isKnown ? knownCells(target, reader) : evaluatedCells(target, reader, options);
}

/** True for formulas that read the source rows of a summary that is grouped by the column. */
const groupsBy = (reader: ColumnNode, column: ColumnNode, { graph }: Calculation): boolean =>
  (reader.formula?.reads.isDynamic ?? false) &&
  (graph.summaries.get(reader.table)?.groups.some(({ source }) => source === column) ?? false);

/** Returns the number of cells that the recorded paths connect with the cell; null for all cells of the column. */
function knownCells({ column, row }: CellRead, reader: ColumnNode): number | null {
  const rows = new Set<number>(column.sameRowReaders.has(reader) ? [row] : []);
  for (const path of column.readers) {
    if (path.owner !== reader) continue;
    const affected = path.affected([row]);
    if (affected === "all") return null;
    for (const id of affected) rows.add(id);
  }
  return rows.size;
}

/** Returns the number of cells whose evaluation reads the cell; null in large tables, and when the budget is spent. */
function evaluatedCells(target: CellRead, reader: ColumnNode, { cells, tracer }: DependentsOptions): number | null {
  const ids = cells.ids(reader.table.id, MAX_EVALUATED_ROWS + 1);
  if (ids.length > MAX_EVALUATED_ROWS) return null;
  let count = 0;
  for (const id of cells.rowsWith(reader.table.id, ids, [reader.id])) {
    const trace = tracer.trace(reader, id);
    if (trace.error?.type === "TimeoutError" || trace.error?.type === "MemoryError") return null;
    if (readsCell(trace, target)) count++;
  }
  return count;
}

const readsCell = ({ cells, lookups }: Trace, { column, row }: CellRead): boolean =>
  cells.some((read) => read.column === column && read.row === row) ||
  lookups.some(
    ({ table, criteria, order, rows }) =>
      table === column.table &&
      (criteria.some((criterion) => criterion.column === column.id) ||
        order.keys.some((key) => key.column === column.id)) &&
      rows.includes(row),
  );

/** Adds the cells of a column that several helpers belong to. */
function merged(found: readonly Dependent[]): Dependent[] {
  const groups = Map.groupBy(found, ({ table, column, kind }) => JSON.stringify([table, column, kind]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const counts = group.map(({ cells }) => cells);
    const cells = counts.includes(null) ? null : Math.max(...counts.map((count) => count ?? 0));
    return first ? [{ ...first, cells }] : [];
  });
}

/** Returns the columns of summaries that group by the cell. */
function summaryGroups({ column, row }: CellRead, { calculation, cells }: DependentsOptions): Dependent[] {
  return [...calculation.graph.summaries.values()].flatMap(({ table, groups }) => {
    const own = groups.find(({ source }) => source === column)?.own;
    if (!own || !cells.field(table.id, own.id) || cells.row(column.table.id, row) === null) return [];
    return [{ table: table.id, column: own.id, kind: "summary" as const, cells: null }];
  });
}
