import { AppError, invalid } from "../../../errors.ts";
import type { CellValue } from "../../../values/cell.ts";
import { type CatalogColumn, type CatalogTable, columnOf } from "../catalog.ts";
import { prepareCells } from "../prepare-cells.ts";
import type { Change } from "../change.ts";
import { removeLostComments } from "../comments.ts";
import type { ColumnValues } from "../doc-action.ts";
import { fillEmptyColumns } from "./empty-columns.ts";
import { areAllAtEnd, isPosition, allocatePositions } from "./positions.ts";
import { clearReferences } from "../references/clear-references.ts";
import { highestId } from "../row-storage.ts";
import { refuseGroupingColumn, refuseSummary } from "../summaries/summary-columns.ts";
import { checkTwoWayTargets } from "../references/two-way-targets.ts";

/** Applies user edits of records: parses and converts the values of requests by the types of their columns. */

/** Values by column id, each list in the order of the rows. */
export type InputValues = ReadonlyMap<string, readonly unknown[]>;

/** Row ids of a request: null and negative ids denote new rows. */
export type InputIds = readonly (number | null)[];

/** The highest row id that a request may choose; allocated ids may exceed it. */
const MAX_REQUESTED_ID = 1_000_000;

/**
 * Adds rows, each with the requested id or the next free one, and returns the ids. User actions may add rows to a
 * summary. Such a row is removed at the end of the change unless it represents a group of the source that has no row
 * yet. A two-way reference of a new row cannot refer to the row itself or to a missing row.
 */
export function addRecords(change: Change, tableId: string, requestedIds: InputIds, values: InputValues): number[] {
  checkColumns(change, tableId, values, { isNew: true });
  const info = change.schema.tableById.get(tableId);
  const choosesIds = requestedIds.some((id) => id !== null && id >= 0);
  // If two rows represent the same group, the one with the lower id is kept.
  if (choosesIds || change.options.storesRecords) refuseSummary(info);
  // The next id of a summary discloses the number of groups.
  if (choosesIds || info?.summarySourceTable) change.writeAccess?.checkSeesAllRows(tableId);
  const filled = fillEmptyColumns(change, tableId, values);
  const ids = allocateIds(change, tableId, requestedIds);
  const table = change.catalog.table(tableId);
  const cells = withPositions(change, table, ids.length, filled);
  checkTwoWayTargets(change, tableId, { ids, values: cells.values, areNew: true });
  change.dirty.asUserEdit(filled.keys(), () => change.applyRequested(["BulkAddRecord", tableId, ids, cells.values]));
  for (const [column, end] of cells.lastPositions) change.setLastPosition(tableId, column, end);
  return ids;
}

/** Updates cells of existing rows. A two-way reference cannot be set to a missing row. */
export function updateRecords(
  change: Change,
  tableId: string,
  requestedIds: readonly number[],
  values: InputValues,
): void {
  checkColumns(change, tableId, values);
  if (values.size === 0 || requestedIds.length === 0) return;
  const ids = resolveIds(change, tableId, requestedIds);
  change.writeAccess?.checkReadable(tableId, ids, values.keys());
  const filled = fillEmptyColumns(change, tableId, values);
  if (filled.size === 0) return;
  const table = change.catalog.table(tableId);
  const cells: ColumnValues = {};
  for (const [name, list] of filled) {
    const column = columnOf(table, name);
    const prepared = prepareCells(change, { table: tableId, column, values: list });
    cells[name] = isPosition(column) ? storePositions(change, tableId, name, prepared) : prepared;
  }
  checkTwoWayTargets(change, tableId, { ids, values: cells, areNew: false });
  change.dirty.asUserEdit(filled.keys(), () => change.applyRequested(["BulkUpdateRecord", tableId, ids, cells]));
}

/** Removes rows and clears references to them. Ignores unknown ids. */
export function removeRecords(change: Change, tableId: string, requestedIds: readonly number[]): void {
  refuseSummary(change.schema.tableById.get(tableId));
  const ids = [...new Set(resolveIds(change, tableId, requestedIds))];
  change.applyRequested(["BulkRemoveRecord", tableId, ids]);
  clearReferences(change, tableId, ids);
  removeLostComments(change, tableId);
}

/**
 * Replaces all rows of a table; missing columns get the defaults of their types. References to removed rows are kept,
 * also in two-way references. For rows that remain, both columns of a two-way reference hold the given links only.
 */
export function replaceRecords(change: Change, tableId: string, requestedIds: InputIds, values: InputValues): void {
  refuseSummary(change.schema.tableById.get(tableId));
  checkColumns(change, tableId, values);
  change.writeAccess?.checkSeesAllRows(tableId);
  const filled = fillEmptyColumns(change, tableId, values);
  let next = 0;
  const ids = requestedIds.map((id) => (next = id !== null && id > 0 ? id : next + 1));
  const table = change.catalog.table(tableId);
  const cells: ColumnValues = {};
  for (const [name, list] of filled) {
    const column = columnOf(table, name);
    cells[name] = prepareCells(change, { table: tableId, column, values: list });
  }
  checkTwoWayTargets(change, tableId, { ids, values: cells, areNew: false });
  for (const column of table.columns.values()) {
    if (isPosition(column) && !cells[column.id]) cells[column.id] = ids.map((_, i) => i + 1);
  }
  change.dirty.asUserEdit(filled.keys(), () => change.applyRequested(["ReplaceTableData", tableId, ids, cells]));
  removeLostComments(change, tableId);
}

/** @throws AppError `invalid` for `id`, unknown columns, and formula columns */
function checkColumns(change: Change, tableId: string, values: InputValues, { isNew = false } = {}): void {
  const table = change.catalog.table(tableId);
  const info = change.schema.tableById.get(tableId);
  for (const name of values.keys()) {
    if (name === "id") throw invalid("The id of a record cannot be set");
    const column = columnOf(table, name);
    if (column.isFormula && column.formula !== "")
      throw new AppError("column.read_only", `${JSON.stringify(name)} is a formula column`);
    const grouping = info?.columnById.get(name);
    if (grouping && !isNew) refuseGroupingColumn(grouping);
    if (column.isFormula) refuseSummary(info);
  }
}

/** Allocates ids for new rows. Negative ids stay valid as temporary ids for the rest of the request. */
function allocateIds(change: Change, tableId: string, requestedIds: InputIds): number[] {
  let highest = highestId(change.db, tableId);
  return requestedIds.map((requested) => {
    if (requested !== null && requested > MAX_REQUESTED_ID)
      throw invalid(`Row id ${requested} must be at most ${MAX_REQUESTED_ID}`);
    if (requested !== null && requested >= 0) {
      highest = Math.max(highest, requested);
      return requested;
    }
    highest++;
    if (requested !== null) {
      const named = change.newRows.get(tableId) ?? new Map<number, number>();
      change.newRows.set(tableId, named.set(requested, highest));
    }
    return highest;
  });
}

function resolveIds(change: Change, tableId: string, requestedIds: readonly number[]): number[] {
  const named = change.newRows.get(tableId);
  return named ? requestedIds.map((id) => named.get(id) ?? id) : [...requestedIds];
}

/** Returns the cells of new rows: the given values, and a position in every position column. */
function withPositions(
  change: Change,
  table: CatalogTable,
  count: number,
  input: InputValues,
): { values: ColumnValues; lastPositions: [column: string, end: number][] } {
  const values: ColumnValues = {};
  const lastPositions: [string, number][] = [];
  for (const [name, list] of input) {
    values[name] = prepareCells(change, { table: table.id, column: columnOf(table, name), values: list });
  }
  for (const column of positionColumns(table)) {
    const targets = values[column.id] ?? Array.from({ length: count }, () => null);
    if (areAllAtEnd(targets)) {
      const end = change.lastPositionOf(table.id, column.id);
      values[column.id] = targets.map((_, i) => end + i + 1);
      lastPositions.push([column.id, end + count]);
    } else {
      values[column.id] = storePositions(change, table.id, column.id, targets);
    }
  }
  return { values, lastPositions };
}

const positionColumns = (table: CatalogTable): CatalogColumn[] => [...table.columns.values()].filter(isPosition);

function storePositions(change: Change, table: string, column: string, targets: readonly CellValue[]): number[] {
  const { positions, moved } = allocatePositions(change.db, { table, column, targets });
  if (moved) change.apply(["BulkUpdateRecord", table, moved.ids, { [column]: moved.positions }]);
  return positions;
}
