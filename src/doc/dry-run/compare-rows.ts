import type { SqlValue } from "../../sqlite/database.ts";
import { CELL_CODES, type CellValue, errorNameOf, isCoded, isErrorCell } from "../../values/cell.ts";
import { sameCell } from "../actions/row-storage.ts";
import type { ReadField } from "../read/read-table.ts";
import type { Row } from "../read/row-scan.ts";
import type { ListBudget } from "./list-budget.ts";
import { cellPositions, type TableRows } from "./read-rows.ts";
import type { TouchedTable } from "./touched-rows.ts";

type Cells = Record<string, CellValue>;

/** A row that is added or removed. */
export interface RowReport {
  /** Missing for an added row of a caller under rules: ids depend on rows that they cannot read. */
  readonly id?: number;
  readonly fields: Cells;
}

/** A row of which cells change. */
export interface ChangedRowReport {
  readonly id: number;
  /** The cells that change, by the column ids before the change. */
  readonly before: Cells;
  /** The same cells, by the column ids after the change. */
  readonly after: Cells;
  /** The columns among them whose cells formulas fill. */
  readonly recomputed: readonly string[];
}

/** The consequence of a change for the rows of a table. */
export interface TableReport {
  readonly table: string;
  readonly rows: { added: number; changed: number; removed: number };
  /** Cells of rows that exist before and after the change. */
  readonly cells: { changed: number; recomputed: number };
  readonly added: RowReport[];
  readonly changed: ChangedRowReport[];
  readonly removed: RowReport[];
}

export interface ComparedTable {
  /** The name after the change; the former name of a table that is removed. */
  readonly table: string;
  readonly before: TableRows | null;
  readonly after: TableRows | null;
  /** Columns of both states, and new columns, as the caller can read them. */
  readonly columns: readonly ComparedColumn[];
  readonly touched: TouchedTable | undefined;
  /** False to leave out added rows. */
  readonly listsAdded: boolean;
  /** True for a caller from whom rules hide something: they get only the cells of `columns`. */
  readonly isRestricted: boolean;
}

export interface ComparedColumn {
  /** Null for a new column. */
  readonly before: ReadField | null;
  readonly after: ReadField;
  /** True where formulas fill all cells. */
  readonly isFormula: boolean;
}

export const emptyTableReport = (table: string): TableReport => ({
  table,
  rows: { added: 0, changed: 0, removed: 0 },
  cells: { changed: 0, recomputed: 0 },
  added: [],
  changed: [],
  removed: [],
});

/** Compares the rows of a table, ascending by id. Counts all differences, and lists them within the budget. */
export function compareRows(compared: ComparedTable, budget: ListBudget): TableReport {
  const report = emptyTableReport(compared.table);
  const { before, after, listsAdded, isRestricted } = compared;
  const compareCells = cellComparison(compared);
  const [fieldsBefore, fieldsAfter] = rowReaders(compared);
  const added: RowReport[] = [];
  const ids = new Set([...(before?.rows.keys() ?? []), ...(after?.rows.keys() ?? [])]);
  for (const id of [...ids].toSorted((a, b) => a - b)) {
    const [old, now] = [before?.rows.get(id), after?.rows.get(id)];
    if (!before?.existing.has(id) && now) {
      if (!listsAdded) continue;
      report.rows.added++;
      if (isRestricted) added.push({ fields: fieldsAfter(now) });
      else budget.add(report.added, () => ({ id, fields: fieldsAfter(now) }));
    } else if (!after?.existing.has(id) && old) {
      report.rows.removed++;
      budget.add(report.removed, () => ({ id, fields: fieldsBefore(old) }));
    } else if (old && now) {
      const changed = compareCells(id, old, now);
      if (changed.length === 0) continue;
      report.rows.changed++;
      report.cells.changed += changed.length;
      report.cells.recomputed += changed.filter(({ isRecomputed }) => isRecomputed).length;
      budget.add(report.changed, () => changedRow(id, changed));
    }
  }
  for (const row of sortedByContent(added)) budget.add(report.added, () => row);
  return report;
}

/** Their order by id would depend on rows that the caller cannot read. */
function sortedByContent(rows: readonly RowReport[]): RowReport[] {
  const byText = rows.map((row) => [JSON.stringify(row), row] as const);
  return byText.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row);
}

/** Returns functions that read the cells of a row before and after the change. */
function rowReaders({ before, after, columns, isRestricted }: ComparedTable) {
  // All columns of a table that is removed were readable.
  const isReduced = isRestricted && after !== null;
  return [
    rowReader(before, isReduced ? columns.map((column) => column.before) : (before?.fields ?? [])),
    rowReader(after, isReduced ? columns.map((column) => column.after) : (after?.fields ?? [])),
  ] as const;
}

interface ChangedCell {
  readonly column: ComparedColumn;
  readonly before: CellValue;
  readonly after: CellValue;
  readonly isRecomputed: boolean;
}

function cellComparison({ before, after, columns, touched }: ComparedTable) {
  const formerCells = before && cellPositions(before.fields);
  const cells = after && cellPositions(after.fields);
  const readers = columns.map((column) => ({
    column,
    cellBefore: column.before && formerCells?.get(column.before),
    cellAfter: cells?.get(column.after),
    computed: touched?.computed.get(column.after.id),
  }));
  return (id: number, old: Row, now: Row): ChangedCell[] =>
    readers.flatMap(({ column, cellBefore, cellAfter, computed }) => {
      const [a, b] = [cellBefore?.(old), cellAfter?.(now)];
      if (a === b && a !== undefined && typeof a !== "object" && column.before?.type === column.after.type) return [];
      const previous = column.before ? decode(column.before, a) : defaultCell(column.after);
      const cell = decode(column.after, b);
      if (sameCell(previous, cell) || isCensored(previous) || isCensored(cell)) return [];
      return [{ column, before: previous, after: cell, isRecomputed: column.isFormula || computed?.has(id) === true }];
    });
}

function changedRow(id: number, changed: readonly ChangedCell[]): ChangedRowReport {
  const before = changed.flatMap(({ column, before: cell }) =>
    column.before ? [[column.before.id, cell] as const] : [],
  );
  return {
    id,
    before: Object.fromEntries(before),
    after: Object.fromEntries(changed.map(({ column, after }) => [column.after.id, after])),
    recomputed: changed.flatMap(({ column, isRecomputed }) => (isRecomputed ? [column.after.id] : [])),
  };
}

/** Returns a function that reads the cells of a row, without censored ones. */
function rowReader(rows: TableRows | null, shown: readonly (ReadField | null)[]): (row: Row) => Cells {
  const fields = rows?.fields ?? [];
  const positions = cellPositions(fields);
  const listed = new Set(shown);
  return (row) =>
    Object.fromEntries(
      fields
        .filter((field) => listed.has(field))
        .map((field) => [field.id, decode(field, positions.get(field)?.(row))] as const)
        .filter(([, cell]) => !isCensored(cell)),
    );
}

/** Returns a cell as records show it, with errors inline. */
function decode({ type, absent }: ReadField, stored: SqlValue | undefined): CellValue {
  const cell = absent === undefined ? type.decode(stored ?? null) : absent;
  return isErrorCell(cell) ? [CELL_CODES.error, errorNameOf(cell)] : cell;
}

const defaultCell = ({ type }: ReadField): CellValue => type.decode(type.encode(type.defaultValue));

const isCensored = (cell: CellValue): boolean => isCoded(cell) && cell[0] === CELL_CODES.censored;
