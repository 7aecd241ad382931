import { quote } from "../../../sqlite/quote.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { CatalogColumn } from "../catalog.ts";
import type { Change } from "../change.ts";
import { IN_IDS } from "../row-storage.ts";

/**
 * Clears references to removed rows: sets a Ref to 0 and removes the rows from RefLists. Data columns whose cells follow
 * from formulas keep them.
 */
export function clearReferences(
  change: Change,
  target: string,
  removed: readonly number[],
  { keeps = () => false }: { keeps?: (table: string, column: string) => boolean } = {},
): void {
  if (removed.length === 0) return;
  for (const table of change.catalog.userTables()) {
    for (const column of table.columns.values()) {
      if (column.isFormula || !column.isStored || column.kind.target !== target) continue;
      if (keeps(table.id, column.id)) continue;
      if (column.kind.base === "Ref") clearReferenceColumn(change, table.id, column, removed);
      else if (column.kind.base === "RefList") clearReferenceListColumn(change, table.id, column, new Set(removed));
    }
  }
}

function clearReferenceColumn(change: Change, table: string, column: CatalogColumn, removed: readonly number[]): void {
  const name = quote(column.id);
  const rows = change.db.values(
    `select id from ${quote(table)} where typeof(${name}) = 'integer' and ${name} ${IN_IDS}`,
    JSON.stringify(removed),
  );
  const ids = rows.map(([id]) => Number(id));
  if (ids.length > 0) change.apply(["BulkUpdateRecord", table, ids, { [column.id]: ids.map(() => 0) }]);
}

function clearReferenceListColumn(
  change: Change,
  table: string,
  column: CatalogColumn,
  removed: ReadonlySet<number>,
): void {
  const name = quote(column.id);
  const rows = change.db.values(
    `select id, ${name} from ${quote(table)} where typeof(${name}) = 'blob' or ${name} like '[%'`,
  );
  const ids: number[] = [];
  const lists: CellValue[] = [];
  for (const [id, stored = null] of rows) {
    const list = column.kind.decodeRaw(stored);
    if (!Array.isArray(list) || list[0] !== "L" || !list.some((item) => removed.has(item as number))) continue;
    const remaining = list.slice(1).filter((item) => !removed.has(item as number));
    ids.push(Number(id));
    lists.push(remaining.length > 0 ? ["L", ...remaining] : null);
  }
  if (ids.length > 0) change.apply(["BulkUpdateRecord", table, ids, { [column.id]: lists }]);
}
