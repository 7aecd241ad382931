import type { CellValue } from "../../values/cell.ts";
import { type DocAction, isMetadataTable } from "../actions/doc-action.ts";
import { RowSet } from "../formulas/row-set.ts";

/** Rows of a change whose events are created together. */
const WINDOW_ROWS = 10_000;

/**
 * Divides the undo actions of a change with very many rows into parts by row id, so that the events of all rows need not
 * be in memory at once. Each part has all actions, with some of their rows.
 */
export function* rowWindows(undo: readonly DocAction[], windowRows = WINDOW_ROWS): Generator<readonly DocAction[]> {
  const lists = undo.filter(({ 1: table }) => !isMetadataTable(table)).map(idsOf);
  const count = lists.reduce((sum, ids) => sum + ids.length, 0);
  // After a replacement of all rows, rows that it does not name are new.
  if (count <= windowRows || undo.some(([name]) => name === "ReplaceTableData")) {
    yield undo;
    return;
  }
  const rows = new RowSet();
  for (const ids of lists) for (const id of ids) rows.add(id);
  const sorted = rows.toSorted();
  for (let at = 0; at < sorted.length; at += windowRows) {
    const first = sorted[at] ?? 0;
    const last = sorted[Math.min(at + windowRows, sorted.length) - 1] ?? 0;
    yield undo.flatMap((action) => partOf(action, (id) => id >= first && id <= last));
  }
}

const LISTS: ReadonlySet<string> = new Set(["BulkAddRecord", "BulkUpdateRecord", "BulkRemoveRecord"]);
const SINGLES: ReadonlySet<string> = new Set(["AddRecord", "UpdateRecord", "RemoveRecord"]);

function idsOf([name, , rows]: DocAction): readonly number[] {
  if (LISTS.has(name) && Array.isArray(rows)) return rows as number[];
  return SINGLES.has(name) && typeof rows === "number" ? [rows] : [];
}

/** Returns the action with the rows of a window; nothing when it has none. Actions on tables and columns remain. */
function partOf(action: DocAction, isInside: (id: number) => boolean): DocAction[] {
  const ids = idsOf(action);
  if (isMetadataTable(action[1]) || ids.length === 0) return [action];
  const indexes = ids.flatMap((id, r) => (isInside(id) ? [r] : []));
  if (indexes.length === 0) return [];
  const picked = indexes.map((r) => ids[r] ?? 0);
  if (action[0] === "BulkRemoveRecord") return [["BulkRemoveRecord", action[1], picked]];
  if (action[0] !== "BulkAddRecord" && action[0] !== "BulkUpdateRecord") return [action];
  const pick = (cells: readonly CellValue[]) => indexes.map((r) => cells[r] ?? null);
  const values = Object.fromEntries(Object.entries(action[3]).map(([column, cells]) => [column, pick(cells)]));
  return [[action[0], action[1], picked, values]];
}
