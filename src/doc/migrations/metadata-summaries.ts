/** Migration steps that convert earlier generations of summary tables to the present one. */
import { quote } from "../../sqlite/quote.ts";
import { pickSummaryTableId, summaryTableName } from "../identifiers.ts";
import { flag, integer, type MetadataRow, type MetadataRows, text } from "./metadata-rows.ts";
import { dropColumns } from "./drop-tables.ts";
import { hasTable } from "./stored-tables.ts";

/**
 * 7: the first summaries were ordinary tables named `Summary_<Source>_<column refs>`, filled by a column of the source.
 * From now on the metadata define a summary.
 */
export function adoptFirstSummaries(metadata: MetadataRows): void {
  const tables = metadata.all("_grist_Tables");
  const columns = metadata.all("_grist_Tables_column");
  const taken = new Set(tables.map((table) => text(table["tableId"])));
  for (const table of tables) {
    const oldId = text(table["tableId"]);
    const origin = findOrigin(oldId, tables, columns);
    if (!origin) continue;
    const { source, groupedBy } = origin;
    const groupIds = new Map(groupedBy.map((column) => [text(column["colId"]), column.id]));
    const newId = pickSummaryTableId(text(source["tableId"]), [...groupIds.keys()], taken);
    taken.add(newId);
    dropColumns(
      metadata,
      text(source["tableId"]),
      columns.filter((column) => column["parentId"] === source.id && column["colId"] === oldId),
    );
    const own = columns.filter((column) => column["parentId"] === table.id);
    const isLeftOver = (column: MetadataRow) => !flag(column["isFormula"]) && !groupIds.has(text(column["colId"]));
    dropColumns(metadata, oldId, own.filter(isLeftOver));
    for (const column of own.filter((one) => !isLeftOver(one))) {
      adoptSummaryColumn(metadata, column, {
        sourceCol: groupIds.get(text(column["colId"])),
        groupFormula: `${text(source["tableId"])}.lookupRecords(${oldId}=$id)`,
      });
    }
    renameTable(metadata, table, newId);
    metadata.update("_grist_Tables", table.id, { summarySourceTable: source.id });
  }
}

function adoptSummaryColumn(
  metadata: MetadataRows,
  column: MetadataRow,
  { sourceCol, groupFormula }: { sourceCol: number | undefined; groupFormula: string },
): void {
  if (sourceCol !== undefined) {
    metadata.update("_grist_Tables_column", column.id, { summarySourceCol: sourceCol });
  } else if (column["colId"] === "group" && column["formula"] === groupFormula) {
    metadata.update("_grist_Tables_column", column.id, { formula: "table.getSummarySourceGroup(rec)" });
  }
}

interface SummaryOrigin {
  readonly source: MetadataRow;
  readonly groupedBy: readonly MetadataRow[];
}

/**
 * Finds the source of a summary by its name: an existing table and columns of it. If the name is ambiguous, the longest
 * list of columns wins.
 */
function findOrigin(tableId: string, tables: MetadataRow[], columns: MetadataRow[]): SummaryOrigin | undefined {
  const name = /^Summary_(.+?)((?:_\d+)+)$/.exec(tableId);
  if (!name) return undefined;
  const numbers = (name[2] ?? "").split("_").slice(1);
  for (let prefixLength = 0; prefixLength < numbers.length; prefixLength++) {
    const sourceId = [name[1], ...numbers.slice(0, prefixLength)].join("_");
    const source = tables.find((table) => table["tableId"] === sourceId);
    const groupedBy = numbers
      .slice(prefixLength)
      .map((ref) => columns.find((column) => column.id === Number(ref) && column["parentId"] === source?.id))
      .filter((column) => column !== undefined);
    if (source && groupedBy.length === numbers.length - prefixLength) return { source, groupedBy };
  }
  return undefined;
}

/** 31: renames the second generation, `GristSummary_6_Sales`, by its group-by columns. */
export function renameSummaries(metadata: MetadataRows): void {
  const tables = metadata.all("_grist_Tables");
  const columns = metadata.all("_grist_Tables_column");
  const idByRef = new Map(tables.map((table) => [table.id, text(table["tableId"])]));
  const taken = new Set(idByRef.values());
  const renamed = new Map<string, string>();
  for (const table of tables) {
    const source = idByRef.get(integer(table["summarySourceTable"]));
    if (!source) continue;
    const groupIds = columns
      .filter((column) => column["parentId"] === table.id && integer(column["summarySourceCol"]) !== 0)
      .map((column) => text(column["colId"]));
    const oldId = text(table["tableId"]);
    if (oldId === summaryTableName(source, groupIds)) continue;
    const newId = pickSummaryTableId(source, groupIds, taken);
    taken.add(newId);
    renamed.set(oldId, newId);
    renameTable(metadata, table, newId);
  }
  if (renamed.size === 0) return;
  renameInFormulas(metadata, columns, renamed);
  for (const resource of metadata.all("_grist_ACLResources")) {
    const newId = renamed.get(text(resource["tableId"]));
    if (newId !== undefined) metadata.update("_grist_ACLResources", resource.id, { tableId: newId });
  }
}

function renameInFormulas(metadata: MetadataRows, columns: MetadataRow[], renamed: Map<string, string>): void {
  for (const column of columns) {
    const formula = text(column["formula"]);
    if (!formula.includes("GristSummary_")) continue;
    const changed = formula.replace(/\w+/g, (word) => renamed.get(word) ?? word);
    if (changed !== formula) metadata.update("_grist_Tables_column", column.id, { formula: changed });
  }
}

function renameTable(metadata: MetadataRows, table: MetadataRow, newId: string): void {
  const { db } = metadata;
  const oldId = text(table["tableId"]);
  metadata.update("_grist_Tables", table.id, { tableId: newId });
  db.clearStatements();
  if (hasTable(db, oldId)) db.exec(`alter table ${quote(oldId)} rename to ${quote(newId)}`);
}
