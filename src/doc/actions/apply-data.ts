import { AppError, invalid, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { isSqliteError } from "../../sqlite/errors.ts";
import type { CellValue } from "../../values/cell.ts";
import { type CatalogTable, columnOf } from "./catalog.ts";
import type { ColumnValues, DocAction } from "./doc-action.ts";
import { deleteAllRows, deleteRows, existingIds, insertRows, readRows, sameCell, updateRows } from "./row-storage.ts";
import type { ApplyContext } from "./apply-context.ts";

/**
 * Applies actions on rows. Each function writes to SQLite, adds its undo actions, marks the dirty cells, and returns
 * the action as it took effect, or null when nothing changed. Cells are written as given, without conversion.
 */

/** @throws AppError `invalid` for unknown columns, lists of unequal length, and ids that are taken or not positive. */
export function applyAddRows(
  context: ApplyContext,
  tableId: string,
  ids: number[],
  values: ColumnValues,
): DocAction | null {
  if (ids.length === 0) return null;
  const table = context.catalog.table(tableId);
  checkColumnLengths(table, ids, values);
  try {
    insertRows(context.db, table, ids, values);
  } catch (error) {
    if (isSqliteError(error, "SQLITE_CONSTRAINT")) throw rowIdTaken(context, tableId, ids);
    throw error;
  }
  context.addUndo(["BulkRemoveRecord", tableId, ids]);
  context.dirty.rowsAdded(tableId, ids, Object.keys(values));
  return ["BulkAddRecord", tableId, ids, values];
}

/**
 * Leaves out cells that already hold the given value, unless `context.includesUnchanged`. For an id that occurs twice
 * the later values win.
 */
export function applyUpdateRows(
  context: ApplyContext,
  tableId: string,
  ids: number[],
  values: ColumnValues,
): DocAction | null {
  const table = context.catalog.table(tableId);
  checkColumnLengths(table, ids, values);
  const names = Object.keys(values);
  const columns = names.map((name) => columnOf(table, name));
  const before = readRows(context.db, tableId, columns, ids);
  const after = reorderCells(before.ids, ids, { context, names, values });
  const { changedColumns, changedRows } = context.includesUnchanged
    ? { changedColumns: [...columns.keys()], changedRows: [...before.ids.keys()] }
    : differences(before.cells, after, before.ids.length);
  if (changedRows.length === 0) return null;
  const isEveryRow = changedRows.length === before.ids.length;
  const pickRows = (list: readonly CellValue[] = []) =>
    isEveryRow ? [...list] : changedRows.map((r) => list[r] ?? null);
  const pick = (cells: readonly CellValue[][]): ColumnValues =>
    Object.fromEntries(changedColumns.map((c) => [names[c] ?? "", pickRows(cells[c])] as const));
  const changedIds = isEveryRow ? before.ids : changedRows.map((r) => before.ids[r] ?? 0);
  const changes = pick(after);
  updateRows(context.db, table, changedIds, changes);
  context.addUndo(["BulkUpdateRecord", tableId, changedIds, pick(before.cells)]);
  context.dirty.cellsChanged(tableId, changedIds, Object.keys(changes));
  return ["BulkUpdateRecord", tableId, changedIds, changes];
}

/** Returns the new cells in the order of the rows read. For an id that occurs twice the later cells win. */
function reorderCells(
  foundIds: readonly number[],
  ids: readonly number[],
  { context, names, values }: { context: ApplyContext; names: readonly string[]; values: ColumnValues },
): CellValue[][] {
  // The common case: the ids are in order already.
  if (foundIds.length === ids.length && foundIds.every((id, r) => id === ids[r]))
    return names.map((name) => values[name] ?? []);
  const indexById = new Map(ids.map((id, at) => [id, at]));
  if (foundIds.length !== indexById.size && !context.ignoresMissingRows) throw unknownRowId(ids, new Set(foundIds));
  return names.map((name) => foundIds.map((id) => values[name]?.[indexById.get(id) ?? 0] ?? null));
}

/** Returns the indexes of the columns and rows that differ. */
function differences(
  before: readonly CellValue[][],
  after: readonly CellValue[][],
  count: number,
): { changedColumns: number[]; changedRows: number[] } {
  const isChanged = new Uint8Array(count);
  const changedColumns: number[] = [];
  for (const [c, cells] of after.entries()) {
    const old = before[c] ?? [];
    let differs = false;
    for (let r = 0; r < count; r++) {
      if (sameCell(old[r] ?? null, cells[r] ?? null)) continue;
      differs = true;
      isChanged[r] = 1;
    }
    if (differs) changedColumns.push(c);
  }
  const changedRows: number[] = [];
  for (let r = 0; r < count; r++) if (isChanged[r] === 1) changedRows.push(r);
  return { changedColumns, changedRows };
}

/** Ignores unknown ids. */
export function applyRemoveRows(context: ApplyContext, tableId: string, ids: number[]): DocAction | null {
  if (ids.length === 0) return null;
  const table = context.catalog.table(tableId);
  const before = readContent(context, table, ids);
  if (before.ids.length > 0) {
    deleteRows(context.db, tableId, before.ids);
    context.addUndo(["BulkAddRecord", tableId, before.ids, before.values]);
    context.dirty.rowsRemoved(tableId, before.ids);
  }
  return ["BulkRemoveRecord", tableId, ids];
}

/** Replaces all rows of the table with these. */
export function applyReplaceRows(
  context: ApplyContext,
  tableId: string,
  ids: number[],
  values: ColumnValues,
): DocAction {
  const table = context.catalog.table(tableId);
  checkColumnLengths(table, ids, values);
  if (new Set(ids).size !== ids.length) throw new AppError("row.exists", "Row ids must be unique");
  const before = readContent(context, table);
  deleteAllRows(context.db, tableId);
  insertRows(context.db, table, ids, values);
  context.addUndo(["ReplaceTableData", tableId, before.ids, before.values]);
  context.dirty.rowsRemoved(tableId, before.ids);
  context.dirty.rowsAdded(tableId, ids, Object.keys(values));
  return ["ReplaceTableData", tableId, ids, values];
}

/** Returns rows with the cells of all columns, so that an undo restores results of formulas as well. */
export function readContent(
  context: ApplyContext,
  table: CatalogTable,
  ids?: readonly number[],
): { ids: number[]; values: ColumnValues } {
  const columns = [...table.columns.values()].filter((column) => column.isStored);
  const rows = readRows(context.db, table.id, columns, ids);
  return { ids: rows.ids, values: Object.fromEntries(columns.map(({ id }, c) => [id, rows.cells[c] ?? []])) };
}

function checkColumnLengths(table: CatalogTable, ids: readonly number[], values: ColumnValues): void {
  for (const [name, cells] of Object.entries(values)) {
    columnOf(table, name);
    if (cells.length !== ids.length) {
      throw invalid(`Column ${JSON.stringify(name)} has ${cells.length} values for ${ids.length} rows`);
    }
  }
  const wrong = ids.find((id) => !Number.isSafeInteger(id) || id < 1);
  if (wrong !== undefined) throw frozenError(FROZEN.invalidRowId, wrong);
}

function rowIdTaken(context: ApplyContext, table: string, ids: readonly number[]): Error {
  const [id] = existingIds(context.db, table, ids);
  return new AppError(
    "row.exists",
    `Table ${JSON.stringify(table)} already has a row ${id ?? ids[0]}, or the request contains it twice`,
  );
}

function unknownRowId(ids: readonly number[], existing: ReadonlySet<number>): Error {
  return frozenError(FROZEN.invalidRowId, ids.find((id) => !existing.has(id)) ?? 0);
}
