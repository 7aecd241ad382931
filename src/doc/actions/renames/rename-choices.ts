import { invalid } from "../../../errors.ts";
import { must } from "../../../lib/assert.ts";
import type { CellValue } from "../../../values/cell.ts";
import type { ColumnInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { columnInfo } from "../schema/columns.ts";
import type { ColumnInput } from "../schema/column-input.ts";
import type { DocAction } from "../doc-action.ts";
import { updateMetadata } from "../metadata.ts";
import { readRows } from "../row-storage.ts";
import { summaryColumnsFor, refuseGroupingColumn } from "../summaries/summary-columns.ts";

/** Renames choices in the cells and filters of a column. All at once, so that two choices can swap names. */
export function renameChoices(change: Change, table: string, id: string, newNames: ColumnInput): void {
  const info = columnInfo(change, table, id);
  refuseGroupingColumn(info);
  const column = change.catalog.column(table, id);
  // Formula columns and empty columns contain no choices to rename.
  if (column.isFormula) return;
  if (column.kind.base !== "Choice" && column.kind.base !== "ChoiceList") {
    throw invalid(`${JSON.stringify(id)} is not a Choice or ChoiceList column`);
  }
  const { writeAccess } = change;
  // A refusal must not disclose which rows hold a choice.
  if (writeAccess && !writeAccess.canReadAll(table)) writeAccess.checkSeesAllRows(table);
  const names = new Map<unknown, unknown>(Object.entries(newNames));
  for (const name of names.values()) if (typeof name !== "string") throw invalid("Choices must be strings");
  const renamed = (value: unknown) => (names.has(value) ? names.get(value) : value);
  const cells = renameCellsAction(change, info, renamed);
  if (cells) change.applyRequested(cells);
  renameInFilters(change, info.ref, renamed);
  for (const summaryColumn of summaryColumnsFor(change.schema, info)) {
    if (summaryColumn.summarySourceCol === 0) continue;
    // Renames groups in place, so that the rows of the summary keep their ids.
    const groups = renameCellsAction(change, summaryColumn, renamed);
    if (groups) change.apply(groups);
    renameInFilters(change, summaryColumn.ref, renamed);
  }
}

/** Returns the action that renames choices in a column; undefined for formula columns and empty tables. */
function renameCellsAction(
  change: Change,
  { id, tableRef }: ColumnInfo,
  renamed: (value: unknown) => unknown,
): DocAction | undefined {
  const table = must(change.schema.tableByRef.get(tableRef), "table").id;
  const column = change.catalog.column(table, id);
  if (column.isFormula) return undefined;
  const { ids, cells } = readRows(change.db, table, [column]);
  const values = (cells[0] ?? []).map((cell): CellValue => {
    if (!Array.isArray(cell) || cell[0] !== "L") return renamed(cell) as CellValue;
    return ["L", ...cell.slice(1).map(renamed)];
  });
  return ids.length > 0 ? ["BulkUpdateRecord", table, ids, { [id]: values }] : undefined;
}

function renameInFilters(change: Change, column: number, renamed: (value: unknown) => unknown): void {
  for (const [filter, text] of change.db.values("select id, filter from _grist_Filters where colRef = ?", column)) {
    const changed = renamedFilter(String(text), renamed);
    if (changed !== undefined) updateMetadata(change, "_grist_Filters", Number(filter), { filter: changed });
  }
}

/** Renames the values of a filter, `{"included": […]}` or `{"excluded": […]}`; undefined for other texts. */
function renamedFilter(text: string, renamed: (value: unknown) => unknown): string | undefined {
  let filter: unknown;
  try {
    filter = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (filter === null || typeof filter !== "object" || Array.isArray(filter)) return undefined;
  const entries = Object.entries(filter as Record<string, unknown>).map(([key, list]) => [
    key,
    Array.isArray(list) ? list.map(renamed) : list,
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}
