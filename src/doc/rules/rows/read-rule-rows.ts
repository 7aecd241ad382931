import type { Database } from "../../../sqlite/database.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { CatalogTable } from "../../actions/catalog.ts";
import { readRows } from "../../actions/row-storage.ts";
import type { RowCells } from "../access-types.ts";

/** Returns rows of a table as rule cells, by id, with those of the requested columns that exist. */
export function readRuleRows(
  db: Database,
  table: CatalogTable,
  { columns, ids }: { columns: Iterable<string>; ids: readonly number[] },
): Map<number, RowCells> {
  const storedColumns = [...new Set(columns)].flatMap((id) => table.columns.get(id) ?? []);
  const indexes = new Map(storedColumns.map(({ id }, at) => [id, at]));
  const rows = readRows(db, table.id, storedColumns, ids);
  return new Map(
    rows.ids.map((id, r) => {
      const cells = (column: string): CellValue | undefined => {
        if (column === "id") return id;
        const at = indexes.get(column);
        return at === undefined ? undefined : (rows.cells[at]?.[r] ?? null);
      };
      return [id, cells];
    }),
  );
}
