import { quote } from "../../sqlite/quote.ts";
import { integer, type MetadataRow, type MetadataRows, refs, text } from "./metadata-rows.ts";
import { dropColumns, deleteRowsWhere, dropTable } from "./drop-tables.ts";
import { hasTable } from "./stored-tables.ts";

/**
 * Removes orphans: summaries that no view shows, hidden columns that no display or format uses, filters without a
 * column, comments whose cell was deleted.
 */
export function removeOrphans(metadata: MetadataRows): void {
  removeUnusedSummaries(metadata);
  removeUnusedHelpers(metadata);
  const columns = new Set(metadata.all("_grist_Tables_column").map((column) => column.id));
  deleteRowsWhere(metadata, "_grist_Filters", (filter) => !columns.has(integer(filter["colRef"])));
  removeOrphanedComments(metadata, columns);
}

/** A raw data section alone does not count as a use of a summary. */
function removeUnusedSummaries(metadata: MetadataRows): void {
  const sections = metadata.all("_grist_Views_section");
  for (const table of metadata.all("_grist_Tables")) {
    if (integer(table["summarySourceTable"]) === 0) continue;
    const isShown = sections.some(
      (section) => section["tableRef"] === table.id && section.id !== table["rawViewSectionRef"],
    );
    if (!isShown) dropTable(metadata, table);
  }
}

function removeUnusedHelpers(metadata: MetadataRows): void {
  const used = usedHelpers((table) => metadata.all(table));
  const unused = metadata
    .all("_grist_Tables_column")
    .filter((column) => isHelperColumn(text(column["colId"])) && !used.has(column.id));
  const tables = new Map(metadata.all("_grist_Tables").map((table) => [table.id, text(table["tableId"])]));
  for (const [tableRef, helpers] of Map.groupBy(unused, (column) => integer(column["parentId"]))) {
    dropColumns(metadata, tables.get(tableRef) ?? "", helpers);
  }
}

/** Returns the refs of columns used as display columns or conditional formats. */
export function usedHelpers(rows: (table: string) => readonly MetadataRow[]): Set<number> {
  const users = ["_grist_Tables_column", "_grist_Views_section_field", "_grist_Views_section"].flatMap(rows);
  return new Set(users.flatMap((row) => [integer(row["displayCol"]), ...refs(row["rules"])]));
}

/** True for hidden columns that compute the displayed value of a reference or a conditional format. */
export const isHelperColumn = (columnId: string): boolean =>
  /^gristHelper_(Display|ConditionalRule|RowConditionalRule)/.test(columnId);

function removeOrphanedComments(metadata: MetadataRows, columns: ReadonlySet<number>): void {
  const tables = new Map(metadata.all("_grist_Tables").map((table) => [table.id, text(table["tableId"])]));
  deleteRowsWhere(metadata, "_grist_Cells", (cell) => {
    const table = tables.get(integer(cell["tableRef"]));
    return !table || !columns.has(integer(cell["colRef"])) || !hasRow(metadata, table, integer(cell["rowId"]));
  });
  // Replies of a removed comment are removed too, recursively.
  let found = true;
  while (found) {
    const kept = new Set(metadata.all("_grist_Cells").map((cell) => cell.id));
    const isOrphaned = (cell: MetadataRow) => integer(cell["parentId"]) !== 0 && !kept.has(integer(cell["parentId"]));
    found = deleteRowsWhere(metadata, "_grist_Cells", isOrphaned);
  }
}

const hasRow = (metadata: MetadataRows, table: string, id: number): boolean =>
  hasTable(metadata.db, table) && metadata.db.get(`select 1 from ${quote(table)} where id = ?`, id) !== null;
