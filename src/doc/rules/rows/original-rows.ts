import type { CellValue } from "../../../values/cell.ts";
import { type DocAction, isMetadataTable } from "../../actions/doc-action.ts";
import type { RowCells } from "../access-types.ts";
import type { AccessCheckedChange } from "../access-checked-change.ts";
import { readRuleRows } from "./read-rule-rows.ts";
import { isRowAction } from "./row-write-checks.ts";

/** Cells before the change; `added` for a row that did not exist then. */
type OriginalCells = Map<string, CellValue> | "added";

interface OriginalTable {
  /** How many of the change's undo actions have been processed. */
  steps: number;
  readonly rows: Map<number, OriginalCells>;
}

/**
 * Rows as they were before the change in progress, so that a request cannot reveal hidden data with its first action,
 * use it in the second, and hide it again in the third.
 */
export class OriginalRows {
  readonly #change: AccessCheckedChange;
  readonly #tables = new Map<string, OriginalTable>();

  constructor(change: AccessCheckedChange) {
    this.#change = change;
  }

  /**
   * Returns the existing rows by id, with their cells before the change. Rows that the change itself added have their
   * present cells.
   */
  read(table: string, { columns, ids }: { columns: readonly string[]; ids: readonly number[] }): Map<number, RowCells> {
    const { db, catalog } = this.#change;
    const rows = readRuleRows(db, catalog.table(table), { columns, ids });
    const before = this.#originalsOf(table);
    for (const [id, cells] of before.size === 0 ? [] : rows) {
      const original = before.get(id);
      if (!original || original === "added") continue;
      rows.set(id, (column) => (original.has(column) ? original.get(column) : cells(column)));
    }
    return rows;
  }

  #originalsOf(table: string): ReadonlyMap<number, OriginalCells> {
    let before = this.#tables.get(table);
    if (!before) this.#tables.set(table, (before = { steps: 0, rows: new Map() }));
    const { undo } = this.#change;
    for (; before.steps < undo.length; before.steps++) {
      const step = undo[before.steps];
      if (step) recordStep(before.rows, table, step);
    }
    return before.rows;
  }
}

/** @param step an undo action: the first one that names a cell holds its original value */
function recordStep(rows: Map<number, OriginalCells>, table: string, step: DocAction): void {
  if (isMetadataTable(step[1])) return;
  // Names may have another meaning after a schema change; callers who can make one can read everything through
  // formulas.
  if (!isRowAction(step)) return rows.clear();
  if (step[1] !== table) return;
  if (step[0] !== "BulkRemoveRecord") return recordCells(rows, step[2], step[3]);
  for (const id of step[2]) if (!rows.has(id)) rows.set(id, "added");
}

function recordCells(
  rows: Map<number, OriginalCells>,
  ids: readonly number[],
  values: Readonly<Record<string, readonly CellValue[]>>,
): void {
  const columns = Object.entries(values);
  for (const [r, id] of ids.entries()) {
    const original = rows.get(id) ?? new Map<string, CellValue>();
    if (original === "added") continue;
    rows.set(id, original);
    for (const [column, cells] of columns) if (!original.has(column)) original.set(column, cells[r] ?? null);
  }
}
