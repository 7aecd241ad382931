import { invalid } from "../errors.ts";
import { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { isErrorCell } from "../values/cell.ts";
import { columnType } from "../values/column-type.ts";
import { findForeignParts } from "./check-document.ts";
import { isHelperColumn } from "./migrations/remove-orphans.ts";
import { flag, integer, type MetadataRow, MetadataRows, text } from "./migrations/metadata-rows.ts";
import { isOutdated, readVersions } from "./migrations/migrate.ts";
import { withReadablePath, withUpgradedCopy } from "./read-only-file.ts";
import { requireSqliteFile } from "./untrusted-file.ts";

/** What a table of a document contains, without helper columns. */
export interface TableDescription {
  readonly table: string;
  readonly rows: number;
  readonly columns: number;
  /** Columns that are computed. */
  readonly formulas: number;
  /** Cells of computed columns that hold an error, by `Column`. */
  readonly formulaErrors: Readonly<Record<string, number>>;
}

/** The amounts that a document must have again after it was copied to another server. */
export interface DocumentDescription {
  readonly tables: readonly TableDescription[];
  readonly attachments: { readonly count: number; readonly sizeBytes: number };
  readonly accessRules: number;
  readonly pages: number;
}

/**
 * Counts what a document's file contains. The file may be in use, and is only read. A document of an older version is
 * described as it would be after the upgrade.
 * @throws AppError `invalid` when the file is not a document
 */
export function describeDocumentFile(path: string): DocumentDescription {
  requireSqliteFile(path);
  return withReadablePath(path, (readable) => {
    using db = new Database(readable, { readonly: true, busyTimeoutMs: 5000 });
    const [problem] = findForeignParts(db);
    if (problem !== undefined) throw invalid(problem);
    return isOutdated(readVersions(db)) ? withUpgradedCopy(readable, describe) : describe(db);
  });
}

function describe(db: Database): DocumentDescription {
  const metadata = new MetadataRows(db);
  const columns = Map.groupBy(metadata.all("_grist_Tables_column"), (column) => integer(column["parentId"]));
  const tables = metadata.all("_grist_Tables").map((table) => ({
    id: text(table["tableId"]),
    columns: (columns.get(table.id) ?? []).filter((column) => isVisible(text(column["colId"]))),
  }));
  const attachments = metadata.all("_grist_Attachments");
  const resources = new Set(
    metadata.all("_grist_ACLResources").flatMap(({ id, tableId }) => (text(tableId) === "" ? [] : [id])),
  );
  return {
    tables: tables
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((table) => describeTable(db, table.id, table.columns)),
    attachments: {
      count: attachments.length,
      sizeBytes: attachments.reduce((sum, { fileSize }) => sum + integer(fileSize), 0),
    },
    accessRules: metadata.all("_grist_ACLRules").filter(({ resource }) => resources.has(integer(resource))).length,
    pages: metadata.all("_grist_Pages").length,
  };
}

const isVisible = (columnId: string): boolean => columnId !== "manualSort" && !isHelperColumn(columnId);

function describeTable(db: Database, table: string, columns: readonly MetadataRow[]): TableDescription {
  const formulas = columns.filter((column) => flag(column["isFormula"]) && text(column["formula"]) !== "");
  const rows = Number(db.get<{ rows: number }>(`select count(*) as rows from ${quote(table)}`)?.rows);
  const errors = formulas.map((column) => {
    const id = text(column["colId"]);
    return [id, countErrors(db, { table, column: id, type: text(column["type"]) })] as const;
  });
  return {
    table,
    rows,
    columns: columns.length,
    formulas: formulas.length,
    formulaErrors: Object.fromEntries(errors.filter(([, count]) => count > 0)),
  };
}

function countErrors(db: Database, { table, column, type }: { table: string; column: string; type: string }): number {
  const name = quote(column);
  const values = columnType(type);
  using cells = db.prepareUncached<{ cell: Uint8Array }>(
    `select ${name} as cell from ${quote(table)} where typeof(${name}) = 'blob'`,
  );
  let count = 0;
  for (const { cell } of cells.iterate()) if (isErrorCell(values.decodeRaw(cell))) count++;
  return count;
}
