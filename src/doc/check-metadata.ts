import { must } from "../lib/assert.ts";
import type { Database } from "../sqlite/database.ts";
import { isKnownType } from "../values/column-type.ts";
import { findViewNotices, findViewProblems } from "./check-views.ts";
import { METADATA_TABLES } from "./metadata-tables.ts";
import { isHelperColumn, usedHelpers } from "./migrations/remove-orphans.ts";
import { integer, type MetadataRow, MetadataRows, refs, text } from "./migrations/metadata-rows.ts";
import { hasTable, isSystemTable, storedColumns, storedTables } from "./migrations/stored-tables.ts";

/** Metadata tables that nothing reads: files of some versions lack columns of them. */
const UNUSED: ReadonlySet<string> = new Set(
  ["Imports", "External_database", "External_table", "Validations", "REPL_Hist"].map((table) => `_grist_${table}`),
);

/** Metadata tables whose references may be dangling. */
const OBSOLETE = new Set([...UNUSED, "_grist_TableViews", "_grist_TabItems"]);

/** Checks the metadata for consistency and against the stored tables. */
export function findMetadataProblems(db: Database): string[] {
  const missing = findMissingMetadata(db);
  if (missing.length > 0) return missing;
  const model = readModel(db);
  return [
    ...findDanglingReferences(model),
    ...findTableProblems(model),
    ...findColumnProblems(model),
    ...findSummaryProblems(model),
    ...findHelperProblems(model),
    ...findViewProblems(model.rows),
  ];
}

/** Finds settings that programs ignore; none while the metadata are incomplete. */
export const findMetadataNotices = (db: Database): string[] =>
  findMissingMetadata(db).length > 0 ? [] : findViewNotices(readModel(db).rows);

interface Model {
  readonly db: Database;
  readonly rows: (table: string) => readonly MetadataRow[];
}

function readModel(db: Database): Model {
  const metadata = new MetadataRows(db);
  const rows = new Map(METADATA_TABLES.map((table) => [table.id, metadata.all(table.id)]));
  return { db, rows: (table) => must(rows.get(table), table) };
}

function findMissingMetadata(db: Database): string[] {
  return METADATA_TABLES.flatMap((table) => {
    if (!hasTable(db, table.id)) return [`The metadata table ${table.id} is missing.`];
    if (UNUSED.has(table.id)) return [];
    const stored = lowerCased(storedColumns(db, table.id).map((column) => column.id));
    return table.columns
      .filter((column) => !stored.has(column.id.toLowerCase()))
      .map((column) => `The metadata column ${table.id}.${column.id} is missing.`);
  });
}

/** Checks that every reference within the metadata points to an existing row, whatever its purpose. */
function findDanglingReferences({ rows }: Model): string[] {
  const ids = new Map(METADATA_TABLES.map((table) => [table.id, new Set(rows(table.id).map((row) => row.id))]));
  const problems: string[] = [];
  for (const table of METADATA_TABLES.filter(({ id }) => !OBSOLETE.has(id))) {
    for (const column of table.columns) {
      const target = ids.get(/^(?:Ref|RefList):(.+)$/.exec(column.type)?.[1] ?? "");
      if (!target) continue;
      for (const row of rows(table.id)) {
        const value = row[column.id];
        const wrong = (Array.isArray(value) ? refs(value) : [integer(value)]).filter(
          (id) => id !== 0 && !target.has(id),
        );
        for (const id of wrong) {
          problems.push(`${table.id} ${row.id}: ${column.id} refers to ${id}, which does not exist.`);
        }
      }
    }
  }
  return problems;
}

function findTableProblems({ db, rows }: Model): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const table of rows("_grist_Tables")) {
    const id = text(table["tableId"]);
    if (!/^[A-Za-z]\w*$/.test(id) || isSystemTable(id))
      problems.push(`Table ${table.id}: ${JSON.stringify(id)} is not a valid table id.`);
    else if (seen.has(id.toLowerCase())) problems.push(`Table ${id}: another table has the same id.`);
    else if (!hasTable(db, id)) problems.push(`Table ${id} is not stored.`);
    seen.add(id.toLowerCase());
  }
  for (const stored of storedTables(db)) {
    if (!isSystemTable(stored) && !seen.has(stored.toLowerCase())) {
      problems.push(`The stored table ${stored} is missing from the metadata.`);
    }
  }
  return problems;
}

function findColumnProblems({ db, rows }: Model): string[] {
  const problems: string[] = [];
  const columnByRef = new Map(rows("_grist_Tables_column").map((column) => [column.id, column]));
  const columnsOf = Map.groupBy(rows("_grist_Tables_column"), (column) => integer(column["parentId"]));
  for (const table of rows("_grist_Tables")) {
    const tableId = text(table["tableId"]);
    const stored = lowerCased(storedColumns(db, tableId).map((column) => column.id));
    const seen = new Set<string>();
    for (const column of columnsOf.get(table.id) ?? []) {
      const id = text(column["colId"]);
      const report = (problem: string) => problems.push(`Table ${tableId}, column ${id || column.id}: ${problem}.`);
      if (id === "" || id.toLowerCase() === "id") report("the id is not valid");
      else if (seen.has(id.toLowerCase())) report("another column has the same id");
      else if (hasTable(db, tableId) && !stored.has(id.toLowerCase())) report("it is not stored");
      seen.add(id.toLowerCase());
      if (!isKnownType(text(column["type"]))) report(`unknown type ${JSON.stringify(text(column["type"]))}`);
      const isElsewhere = (ref: number) => ref !== 0 && columnByRef.get(ref)?.["parentId"] !== table.id;
      if (isElsewhere(integer(column["displayCol"]))) report("the column it displays is not in the same table");
      if (refs(column["rules"]).some(isElsewhere)) report("a conditional format is not in the same table");
      if (refs(column["recalcDeps"]).some(isElsewhere)) report("a column that triggers it is not in the same table");
      const reverse = columnByRef.get(integer(column["reverseCol"]));
      if (reverse && reverse["reverseCol"] !== column.id) report("its reverse column does not refer back to it");
      const source = columnByRef.get(integer(column["summarySourceCol"]));
      if (source && source["parentId"] !== table["summarySourceTable"])
        report("it summarises a column of another table");
    }
    for (const id of stored) {
      if (!seen.has(id)) problems.push(`Table ${tableId}: the stored column ${id} is missing from the metadata.`);
    }
  }
  return problems;
}

/** Summary rows are added and removed with their groups, so a summary cannot have data columns. */
function findSummaryProblems({ rows }: Model): string[] {
  const problems: string[] = [];
  const tables = new Map(rows("_grist_Tables").map((table) => [table.id, table]));
  const summaries = new Set<number>();
  for (const [id, table] of tables) {
    const source = tables.get(integer(table["summarySourceTable"]));
    if (!source) continue;
    summaries.add(id);
    if (integer(source["summarySourceTable"]) > 0) {
      problems.push(`Table ${text(table["tableId"])}: it summarises a summary.`);
    }
  }
  for (const column of rows("_grist_Tables_column")) {
    const id = text(column["colId"]);
    if (!summaries.has(integer(column["parentId"])) || id === "manualSort") continue;
    const isGrouping = integer(column["summarySourceCol"]) > 0;
    if (isGrouping !== (column["isFormula"] === true)) continue;
    const table = text(tables.get(integer(column["parentId"]))?.["tableId"]);
    const wrong = isGrouping ? "a column that a summary groups by is computed" : "a summary does not group by it";
    problems.push(`Table ${table}, column ${id}: ${wrong}.`);
  }
  return problems;
}

function findHelperProblems({ rows }: Model): string[] {
  const used = usedHelpers(rows);
  return rows("_grist_Tables_column")
    .filter((column) => isHelperColumn(text(column["colId"])) && !used.has(column.id))
    .map((column) => `_grist_Tables_column ${column.id}: the hidden column ${text(column["colId"])} is not used.`);
}

const lowerCased = (ids: readonly string[]): Set<string> => new Set(ids.map((id) => id.toLowerCase()));
