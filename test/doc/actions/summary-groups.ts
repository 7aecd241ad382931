import { Catalog } from "../../../src/doc/actions/catalog.ts";
import { readRows } from "../../../src/doc/actions/row-storage.ts";
import type { ColumnInfo, TableInfo } from "../../../src/doc/schema.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import type { Scratch } from "./scratch.ts";

/** Returns differences between the rows of summaries and the groups of their sources, by a full scan. */
export function summaryDifferences(scratch: Scratch): string[] {
  const { schema } = scratch.document;
  return schema.tables.flatMap((summary) => {
    const source = schema.tableByRef.get(summary.summarySourceTable);
    if (!source) return [];
    const own = summary.columns.filter((column) => column.summarySourceCol > 0).map((column) => column.id);
    const by = own.map(
      (id) => schema.columnByRef.get(summary.columnById.get(id)?.summarySourceCol ?? 0)?.id ?? "missing",
    );
    const expected = groupsOf(scratch, source, by);
    const group = summary.columns.find((column) => isGroup(column, source));
    const rows = rowsOf(scratch, summary, [...own, ...(group ? [group.id] : [])]);
    const found = new Map(rows.map(({ cells }) => [keyOf(cells.slice(0, own.length)), cells[own.length] ?? null]));
    const serialize = (groups: ReadonlyMap<string, unknown>) =>
      JSON.stringify(Object.fromEntries([...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))));
    const lists = new Map([...expected].map(([key, ids]) => [key, group ? ["L", ...ids] : null]));
    if (found.size === rows.length && serialize(found) === serialize(lists)) return [];
    return [`${summary.id}: ${serialize(found)} instead of ${serialize(lists)}`];
  });
}

const isGroup = ({ formula, type }: ColumnInfo, source: TableInfo): boolean =>
  formula === "table.getSummarySourceGroup(rec)" && type === `RefList:${source.id}`;

function groupsOf(scratch: Scratch, source: TableInfo, by: readonly string[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const { id, cells } of rowsOf(scratch, source, by)) {
    let combined: CellValue[][] = [[]];
    for (const [c, cell] of cells.entries()) {
      const values = elements(cell, source.columnById.get(by[c] ?? "")?.type ?? "");
      combined = combined.flatMap((head) => values.map((value) => [...head, value]));
    }
    for (const key of new Set(combined.map(keyOf))) groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return groups;
}

/** Returns the group values of a cell. */
function elements(cell: CellValue, type: string): CellValue[] {
  if (type !== "ChoiceList" && type !== "Attachments" && !type.startsWith("RefList:")) {
    // Rows with an error or a set of records belong to no group; dates are grouped by day.
    if (Array.isArray(cell) && (cell[0] === "E" || cell[0] === "r")) return [];
    return [type === "Date" && typeof cell === "number" ? cell - (((cell % 86_400) + 86_400) % 86_400) : cell];
  }
  if (cell !== null && (!Array.isArray(cell) || cell[0] !== "L")) return [];
  const items = cell === null ? [] : (cell.slice(1) as CellValue[]);
  return items.length > 0 ? items : [type === "ChoiceList" ? "" : 0];
}

/** Returns a key in which booleans equal 0 and 1. */
const keyOf = (cells: readonly CellValue[]): string =>
  JSON.stringify(cells.map((cell) => (typeof cell === "boolean" ? Number(cell) : cell)));

function rowsOf({ document }: Scratch, table: TableInfo, ids: readonly string[]): { id: number; cells: CellValue[] }[] {
  const catalog = new Catalog(document.schema);
  const rows = readRows(
    document.db,
    table.id,
    ids.map((id) => catalog.column(table.id, id)),
  );
  return rows.ids.map((id, r) => ({ id, cells: rows.cells.map((column) => column[r] ?? null) }));
}
