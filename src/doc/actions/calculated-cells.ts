import type { Database, SqlValue } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { Schema } from "../schema.ts";
import type { CalculationLimits } from "../formulas/calculation-limits.ts";
import { checkDryRunTime } from "../dry-run/dry-run.ts";
import { rowChangeListener } from "../indexes/row-changes.ts";
import { type Catalog, type CatalogColumn, columnOf } from "./catalog.ts";
import type { ColumnValues, DocAction } from "./doc-action.ts";
import { readRows, sameCell, updateCells } from "./row-storage.ts";

/** Results of a formula column. */
export interface CalculatedColumn {
  readonly id: string;
  readonly cells: CellValue[];
  /** The stored values of the same rows; undefined where they are not known. */
  readonly stored: readonly (SqlValue | undefined)[];
}

/**
 * Number of rows that an action records in any case, so that change events and comparisons can tell many rows from few.
 */
const MIN_RECORDED_ROWS = 1000;

type UpdateAction = Extract<DocAction, readonly ["BulkUpdateRecord", ...unknown[]]>;

/** The change whose results are written. */
interface CalculatingChange {
  readonly db: Database;
  readonly catalog: Catalog;
  /** The metadata at this point of the change. */
  readonly schema: Schema;
  readonly document: { readonly schema: Schema; readonly calculationLimits: CalculationLimits };
  /** Adds an action that writes results of formulas, which may still be extended, and the one that undoes it. */
  addCalculated(done: DocAction, undo: DocAction): void;
  /** Call after results of formulas were written. */
  onCalculated(table: string, ids: number[], changed: readonly ChangedCells[]): void;
}

/** Actions that further blocks of results extend. */
interface OpenActions {
  readonly done: UpdateAction;
  readonly undo: UpdateAction;
  /** True when all rows are recorded. */
  readonly isComplete: boolean;
  /** The number of rows that were written. */
  rows: number;
}

/** New cells of a column, and the stored cells of the same rows by position. */
export interface ChangedCells {
  readonly column: CatalogColumn;
  readonly cells: CellValue[];
  readonly before: (r: number) => CellValue;
}

interface ResultBlock {
  readonly ids: number[];
  readonly columns: readonly (ChangedCells & { isChanged: boolean })[];
}

/**
 * Writes results of formulas in blocks, and records them for the history, events and webhooks. Cells of formula columns
 * can be computed again, so of very many only the first ones are recorded. Cells of data columns, which trigger formulas
 * fill, are all recorded.
 */
export class CalculatedCells {
  readonly #change: CalculatingChange;
  /** The schema before the change. */
  readonly #initialSchema: Schema;
  readonly #open = new Map<string, OpenActions>();
  #recordedCells = 0;
  /** Returns true for tables of which all results are needed. */
  recordsAllOf: (table: string) => boolean = () => false;

  constructor(change: CalculatingChange) {
    this.#change = change;
    this.#initialSchema = change.document.schema;
  }

  /** Writes the results that differ from the stored cells. Rows that were removed meanwhile are ignored. */
  write(tableId: string, rows: number[], columns: readonly CalculatedColumn[]): void {
    const { db, catalog } = this.#change;
    checkDryRunTime(db);
    const table = catalog.table(tableId);
    const block = readBefore(db, tableId, { targets: columns.map(({ id }) => columnOf(table, id)), rows, columns });
    const changedRows = findChangedRows(block);
    if (changedRows.length === 0) return;
    const isEveryRow = changedRows.length === block.ids.length;
    const pick = <T>(list: T[]): T[] => (isEveryRow ? list : changedRows.map((r) => list[r] as T));
    const ids = pick(block.ids);
    const changed = block.columns
      .filter(({ isChanged }) => isChanged)
      .map(({ column, before, cells }): ChangedCells => {
        return { column, cells: pick(cells), before: isEveryRow ? before : (r) => before(changedRows[r] ?? 0) };
      });
    updateCells(db, tableId, ids, changed);
    this.#record(tableId, ids, changed);
    this.#change.onCalculated(tableId, ids, changed);
  }

  /** Returns the number of cells of a column that are still recorded; Infinity if all are. */
  remainingRows(table: string, column: CatalogColumn): number {
    if (this.#recordsAll(table, [column])) return Infinity;
    const open = this.#open.get(keyOf(table, [column]));
    return this.#remainingRows(open?.done[2].length ?? 0, 1);
  }

  /** Call after cells of a formula column were written that are not recorded. `changed` of them differ from before. */
  addUnrecorded(table: string, column: CatalogColumn, ids: number[], changed: number): void {
    const open = this.#actionsFor(table, [column]);
    open.rows += changed;
    open.done[4] = { rows: open.rows };
    rowChangeListener(this.#change.db)?.rowsWritten(table, ids, [column.id]);
    this.#change.onCalculated(table, ids, []);
  }

  /** Ends the actions that further results would extend, because other actions follow. */
  close(): void {
    this.#open.clear();
  }

  #record(table: string, ids: readonly number[], changed: readonly ChangedCells[]): void {
    const open = this.#actionsFor(
      table,
      changed.map(({ column }) => column),
    );
    open.rows += ids.length;
    const recorded = open.done[2].length;
    const count = open.isComplete ? ids.length : Math.min(ids.length, this.#remainingRows(recorded, changed.length));
    if (!open.isComplete) this.#recordedCells += count * changed.length;
    for (const action of [open.done, open.undo]) for (let r = 0; r < count; r++) action[2].push(ids[r] ?? 0);
    for (const { column, before, cells } of changed) {
      const done = open.done[3][column.id] ?? [];
      const undo = open.undo[3][column.id] ?? [];
      for (let r = 0; r < count; r++) {
        done.push(cells[r] ?? null);
        undo.push(before(r));
      }
    }
    if (open.rows > recorded + count) open.done[4] = { rows: open.rows };
  }

  #remainingRows(recorded: number, columnCount: number): number {
    const { recordedCells } = this.#change.document.calculationLimits;
    const affordable = Math.floor((recordedCells - this.#recordedCells) / columnCount);
    return Math.max(affordable, MIN_RECORDED_ROWS - recorded, 0);
  }

  #actionsFor(table: string, columns: readonly CatalogColumn[]): OpenActions {
    const key = keyOf(table, columns);
    let open = this.#open.get(key);
    if (!open) {
      const values = (): ColumnValues => Object.fromEntries(columns.map(({ id }): [string, CellValue[]] => [id, []]));
      open = {
        done: ["BulkUpdateRecord", table, [], values()],
        undo: ["BulkUpdateRecord", table, [], values()],
        isComplete: this.#recordsAll(table, columns),
        rows: 0,
      };
      this.#open.set(key, open);
      this.#change.addCalculated(open.done, open.undo);
    }
    return open;
  }

  #recordsAll(table: string, columns: readonly CatalogColumn[]): boolean {
    return this.recordsAllOf(table) || columns.some((column) => this.#mayHoldData(table, column));
  }

  /** Returns true for columns that hold data, or held it before the change: an undo cannot compute it. */
  #mayHoldData(table: string, { id, isFormula }: CatalogColumn): boolean {
    if (!isFormula) return true;
    const ref = this.#change.schema.tableById.get(table)?.columnById.get(id)?.ref;
    return ref !== undefined && this.#initialSchema.columnByRef.get(ref)?.isFormula === false;
  }
}

const keyOf = (table: string, columns: readonly CatalogColumn[]): string =>
  JSON.stringify([table, ...columns.map(({ id }) => id)]);

/** Returns the rows that exist, with their stored and their new cells. */
function readBefore(
  db: Database,
  tableId: string,
  {
    targets,
    rows,
    columns,
  }: { targets: readonly CatalogColumn[]; rows: number[]; columns: readonly CalculatedColumn[] },
): ResultBlock {
  const isChanged = false;
  if (columns.every(({ stored }) => !stored.includes(undefined))) {
    const known = targets.map((column, c): ChangedCells & { isChanged: boolean } => {
      const { cells = [], stored = [] } = columns[c] ?? {};
      const { kind, isStored } = column;
      return {
        column,
        cells,
        before: (r) => (isStored ? kind.decodeRaw(stored[r] ?? null) : kind.defaultValue),
        isChanged,
      };
    });
    return { ids: rows, columns: known };
  }
  const { ids, cells: found } = readRows(db, tableId, targets, rows);
  const isComplete = ids.length === rows.length;
  const indexById = isComplete ? undefined : new Map(rows.map((id, r) => [id, r]));
  const read = targets.map((column, c): ChangedCells & { isChanged: boolean } => {
    const { cells = [] } = columns[c] ?? {};
    const existing = indexById ? ids.map((id) => cells[indexById.get(id) ?? 0] ?? null) : cells;
    return { column, cells: existing, before: (r) => found[c]?.[r] ?? null, isChanged };
  });
  return { ids, columns: read };
}

/** Finds the rows that differ, and marks the columns that do. */
function findChangedRows({ ids, columns }: ResultBlock): number[] {
  const isChanged = new Uint8Array(ids.length);
  for (const column of columns) {
    const { cells, before } = column;
    for (let r = 0; r < ids.length; r++) {
      if (sameCell(before(r), cells[r] ?? null)) continue;
      column.isChanged = true;
      isChanged[r] = 1;
    }
  }
  const changedRows: number[] = [];
  for (let r = 0; r < ids.length; r++) if (isChanged[r] === 1) changedRows.push(r);
  return changedRows;
}
