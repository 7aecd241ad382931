import { must } from "../../lib/assert.ts";
import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import { columnType } from "../../values/column-type.ts";
import { marshal } from "../../values/marshal.ts";
import { STORAGE_VERSION, SYSTEM_INDEXES, SYSTEM_TABLES, type SystemTable } from "../metadata-tables.ts";
import { convertActionLog, ensureHistory } from "./action-log.ts";
import { flag, integer, MetadataRows, text } from "./metadata-rows.ts";
import { hasColumn, hasTable, isSystemTable, rebuildTable, storedColumns, storedTables } from "./stored-tables.ts";

/** A migration of the storage format to a version (`PRAGMA user_version`). */
interface StorageStep {
  readonly to: number;
  readonly run: (db: Database) => void;
}

const STORAGE_STEPS: readonly StorageStep[] = [
  { to: 1, run: () => {} },
  { to: 2, run: storeAsBlobs },
  { to: 3, run: createHistoryTables },
  { to: 4, run: (db) => createSystemTable(db, "FileInfo") },
  { to: 5, run: (db) => createSystemTable(db, "PluginData") },
  { to: 6, run: replaceNullsByDefaults },
  { to: 7, run: storeFormulaColumns },
  { to: 8, run: createIndexes },
  // Adds the column that records which attachments are stored outside of the file.
  { to: 9, run: (db) => createSystemTable(db, "Files") },
];

export const storageVersion = (db: Database): number =>
  db.get<{ user_version: number }>("pragma user_version")?.user_version ?? 0;

/** Runs the pending steps. A file of an unknown newer version is left unchanged. Call in a transaction. */
export function migrateStorage(db: Database): void {
  const found = storageVersion(db);
  if (found >= STORAGE_VERSION) return;
  for (const step of STORAGE_STEPS) if (step.to > found) step.run(db);
  completeSystemTables(db);
  db.exec(`pragma user_version = ${STORAGE_VERSION}`);
}

/** Creates missing tables, rows and indexes of the format, whatever version the file declares. */
export function completeSystemTables(db: Database): void {
  for (const table of SYSTEM_TABLES) completeSystemTable(db, table);
  db.exec("insert or ignore into _gristsys_FileInfo (id) values (0)");
  createIndexes(db);
  ensureHistory(db);
}

/**
 * Before version 2 the columns had other SQL types, whose affinity converted written values. BLOB columns keep values
 * unchanged; stored values keep their storage class.
 */
function storeAsBlobs(db: Database): void {
  for (const table of storedTables(db)) {
    if (/^_gristsys_(?!Action(_step)?$)/i.test(table)) continue;
    const columns = storedColumns(db, table).map((column) => ({
      id: column.id,
      type: "BLOB",
      // At that time the largest integer meant "at the end", which is Infinity now.
      default: column.type === "REAL" && column.default === "2147483647" ? "1e999" : column.default,
    }));
    rebuildTable(db, table, columns);
  }
  createSystemTable(db, "Files");
  createSystemTable(db, "Action");
  createSystemTable(db, "Action_step");
}

function createHistoryTables(db: Database): void {
  createSystemTable(db, "ActionHistory");
  createSystemTable(db, "ActionHistoryBranch");
  convertActionLog(db);
}

/** Columns created with the wrong default (NULL) hold nulls that no user entered. */
function replaceNullsByDefaults(db: Database): void {
  for (const [table, columnsById] of userColumns(db)) {
    const fill = new Set<string>();
    const columns = storedColumns(db, table).map((column) => {
      const type = columnsById.get(column.id.toLowerCase())?.type;
      const correctDefault = type === undefined ? "NULL" : columnType(type).sqlDefault;
      if (correctDefault === "NULL" || !/^(null|undefined)?$/i.test(column.default ?? "")) return column;
      fill.add(column.id);
      return { ...column, default: correctDefault };
    });
    if (fill.size > 0) rebuildTable(db, table, columns, fill);
  }
}

/** Formula columns were not stored before version 7. */
function storeFormulaColumns(db: Database): void {
  for (const [table, columns] of userColumns(db)) {
    for (const column of columns.values()) {
      if (column.isFormula && !hasColumn(db, table, column.id)) addPendingColumn(db, table, column);
    }
  }
}

/** The marker of cells whose formula is pending. */
export const PENDING = marshal(["P"]);

/** Adds a formula column to a user table with all cells pending. */
export function addPendingColumn(db: Database, table: string, column: { id: string; type: string }): void {
  const name = quote(column.id);
  // Without affinity, so that any formula result is stored unchanged.
  db.exec(`alter table ${quote(table)} add column ${name} BLOB DEFAULT ${columnType(column.type).sqlDefault}`);
  db.run(`update ${quote(table)} set ${name} = ?`, PENDING);
}

function createIndexes(db: Database): void {
  for (const index of SYSTEM_INDEXES) if (hasTable(db, index.table)) db.exec(index.sql);
}

function createSystemTable(db: Database, id: string): void {
  completeSystemTable(db, must(SYSTEM_TABLES.find((table) => table.id === `_gristsys_${id}`)));
}

function completeSystemTable(db: Database, table: SystemTable): void {
  db.exec(table.sql);
  for (const [column, definition] of Object.entries(table.columns)) {
    if (hasColumn(db, table.id, column)) continue;
    // SQLite cannot add a column with these constraints; files without the column do not depend on them.
    const plain = definition.replace(/ (unique|not null)\b/gi, "");
    db.exec(`alter table ${quote(table.id)} add column ${quote(column)} ${plain}`);
  }
}

interface UserColumn {
  readonly id: string;
  readonly type: string;
  readonly isFormula: boolean;
}

/** Returns the columns of stored user tables according to the metadata: by table, then by id in lower case. */
export function userColumns(db: Database): Map<string, Map<string, UserColumn>> {
  const metadata = new MetadataRows(db);
  const tables = new Map(metadata.all("_grist_Tables").map((row) => [row.id, text(row["tableId"])]));
  const found = new Map<string, Map<string, UserColumn>>();
  for (const row of metadata.all("_grist_Tables_column")) {
    const table = tables.get(integer(row["parentId"]));
    const id = text(row["colId"]);
    if (!table || id === "" || id.toLowerCase() === "id" || isSystemTable(table) || !hasTable(db, table)) continue;
    const columns = found.get(table) ?? new Map<string, UserColumn>();
    columns.set(id.toLowerCase(), { id, type: text(row["type"]) || "Any", isFormula: flag(row["isFormula"]) });
    found.set(table, columns);
  }
  return found;
}
