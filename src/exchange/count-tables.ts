import type { TypedColumn, TypedTable } from "./decide-tables.ts";
import { CellCounter, type CellCounts } from "./detect/count-cells.ts";
import { cellReader } from "./detect/read-cell.ts";
import { stagedRows } from "./staging.ts";

/** Reads the values of a column of a new table, and counts what becomes of them. */
export const counterOf = ({ reading, type }: TypedColumn): CellCounter =>
  new CellCounter(cellReader(reading, type), { isText: reading.kind === "text" });

/** What would become of the values of each column of a table. */
export function countCells(table: TypedTable): CellCounts[] {
  const columns = table.columns.map((column) => ({ at: column.at, counter: counterOf(column) }));
  for (const rows of stagedRows(table)) {
    for (const row of rows) for (const { at, counter } of columns) counter.read(row[at] ?? null);
  }
  return columns.map(({ counter }) => counter.counts);
}
