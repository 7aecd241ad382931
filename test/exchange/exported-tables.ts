import type { ExportedColumn, ExportedRow, ExportedTable } from "../../src/exchange/exported-table.ts";
import type { TableReader } from "../../src/exchange/table-parts.ts";
import type { CellValue } from "../../src/values/cell.ts";
import { columnType, type WidgetOptions } from "../../src/values/column-type.ts";

export interface ColumnFixture {
  readonly id: string;
  readonly type: string;
  readonly label?: string;
  readonly description?: string;
  readonly options?: WidgetOptions;
  readonly cells?: readonly CellValue[];
  /** The column that references display. */
  readonly shown?: { readonly type: string; readonly options?: WidgetOptions; readonly cells: readonly CellValue[] };
}

/** Builds a table of columns, as long as the first; rows come in batches of two. */
export function createTable(
  columns: readonly ColumnFixture[],
  { id = "T", title = id }: { id?: string; title?: string } = {},
): ExportedTable {
  const count = columns[0]?.cells?.length ?? 0;
  const from =
    (cells: readonly CellValue[] = []) =>
    (row: ExportedRow): CellValue =>
      cells[Number(row[0])] ?? null;
  return {
    id,
    title,
    settings: { locale: "en-US", timezone: "UTC" },
    maxRowCount: () => count,
    columns: columns.map((column): ExportedColumn => ({
      id: column.id,
      label: column.label ?? column.id,
      description: column.description ?? "",
      type: columnType(column.type),
      options: column.options ?? {},
      cell: from(column.cells),
      displayColumn: column.shown
        ? {
            type: columnType(column.shown.type),
            options: column.shown.options ?? {},
            cell: from(column.shown.cells),
          }
        : null,
    })),
    *batches() {
      for (let at = 0; at < count; at += 2) yield [[at], [at + 1]].filter(([row]) => Number(row) < count);
    },
  };
}

/** Reads a file and returns its tables, each with all its rows. */
export async function readAll(
  reader: TableReader,
  path: string,
): Promise<{ name: string; labels: readonly string[]; rows: unknown[] }[]> {
  const tables: { name: string; labels: readonly string[]; rows: unknown[] }[] = [];
  for await (const part of reader.read({ path, name: "file" })) {
    if (part.kind === "table") tables.push({ name: part.name, labels: part.labels, rows: [] });
    else if (part.kind === "rows") tables.at(-1)?.rows.push(...part.rows);
  }
  return tables;
}
