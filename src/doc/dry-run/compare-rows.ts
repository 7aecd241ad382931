import type { SqlValue } from "../../sqlite/database.ts";
import { CELL_CODES, type CellValue, isCoded } from "../../values/cell.ts";
import { sameCell } from "../actions/row-storage.ts";
import type { ReadField } from "../read/read-table.ts";
import type { Row } from "../read/row-scan.ts";
import type { ListBudget } from "./list-budget.ts";
import { cellPositions, type TableRows } from "./read-rows.ts";
import type { TouchedTable } from "./touched-rows.ts";

type Cells = Record<string, CellValue>;

/** A row that is added or removed. */
export interface RowReport {
  readonly id: number;
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
  /** Columns that exist before and after the change, and those that are new, as the caller can read them. */
  readonly columns: readonly ComparedColumn[];
  readonly touched: TouchedTable | undefined;
  /** False to leave out added rows. */
  readonly listsAdded: boolean;
  /** True to show of added and removed rows only the cells of `columns`. */
  readonly isReduced?: boolean;
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
  const { before, after, listsAdded, isReduced = false, columns } = compared;
  const compareCells = cellComparison(compared);
  const fieldsBefore = before && rowReader(before, isReduced ? columns.map((column) => column.before) : before.fields);
  const fieldsAfter = after && rowReader(after, isReduced ? columns.map((column) => column.after) : after.fields);
  const ids = new Set([...(before?.rows.keys() ?? []), ...(after?.rows.keys() ?? [])]);
  for (const id of [...ids].toSorted((a, b) => a - b)) {
    const [old, now] = [before?.rows.get(id), after?.rows.get(id)];
    const [existed, exists] = [before?.existing.has(id) ?? false, after?.existing.has(id) ?? false];
    if (!existed && now && fieldsAfter) {
      if (!listsAdded) continue;
      report.rows.added++;
      budget.add(report.added, () => ({ id, fields: fieldsAfter(now) }));
    } else if (!exists && old && fieldsBefore) {
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
  return report;
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
function rowReader({ fields }: TableRows, shown: readonly (ReadField | null)[]): (row: Row) => Cells {
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

const decode = ({ type, absent }: ReadField, stored: SqlValue | undefined): CellValue =>
  absent === undefined ? type.decode(stored ?? null) : absent;

const defaultCell = ({ type }: ReadField): CellValue => type.decode(type.encode(type.defaultValue));

const isCensored = (cell: CellValue): boolean => isCoded(cell) && cell[0] === CELL_CODES.censored;
