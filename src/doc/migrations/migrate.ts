import type { Database } from "../../sqlite/database.ts";
import { SCHEMA_VERSION, STORAGE_VERSION } from "../metadata-tables.ts";
import { addColumnSql, createTableSql } from "../table-sql.ts";
import { removeOrphans } from "./remove-orphans.ts";
import { numberEqualHelpers } from "./metadata-columns.ts";
import { migrateMetadata, schemaVersion } from "./metadata.ts";
import { MetadataRows, text } from "./metadata-rows.ts";
import { addPendingColumn, completeSystemTables, migrateStorage, storageVersion, userColumns } from "./storage.ts";
import { hasColumn, hasTable, isSystemTable } from "./stored-tables.ts";

/** The versions of a document's file: of its tables and values, and of its metadata. */
export interface DocumentVersions {
  readonly storage: number;
  readonly schema: number;
}

/** The versions that this program migrates documents to. */
export const LATEST_VERSIONS: DocumentVersions = { storage: STORAGE_VERSION, schema: SCHEMA_VERSION };

export const readVersions = (db: Database): DocumentVersions => ({
  storage: storageVersion(db),
  schema: schemaVersion(new MetadataRows(db)),
});

/** True when the storage or metadata version of the document is older than the server's. */
export function isOutdated({ storage, schema }: DocumentVersions): boolean {
  return storage < STORAGE_VERSION || schema < SCHEMA_VERSION;
}

/** True when the document was written by a newer version. */
export function isNewer({ storage, schema }: DocumentVersions): boolean {
  return storage > STORAGE_VERSION || schema > SCHEMA_VERSION;
}

/**
 * Upgrades an opened document in one transaction: storage format, metadata, missing tables and orphaned rows. A newer
 * document is left unchanged. Formula values are left to recalculation.
 * @returns true when so many rows were moved that the file should be vacuumed
 */
export function migrateDocument(db: Database): boolean {
  const found = readVersions(db);
  if (isNewer(found) && !isOutdated(found)) return false;
  const moved = found.storage < STORAGE_VERSION;
  db.transaction(() => {
    const metadata = new MetadataRows(db);
    migrateStorage(db);
    migrateMetadata(metadata);
    metadata.addMissing();
    metadata.storeUnmarshalled();
    completeSystemTables(db);
    numberEqualHelpers(metadata);
    completeUserTables(metadata);
    removeOrphans(metadata);
  });
  db.clearStatements();
  return moved;
}

/** Creates tables and columns that the metadata name and the file lacks. */
function completeUserTables(metadata: MetadataRows): void {
  const { db } = metadata;
  for (const table of metadata.all("_grist_Tables")) {
    const id = text(table["tableId"]);
    if (id !== "" && !isSystemTable(id) && !hasTable(db, id)) db.exec(createTableSql(id, []));
  }
  for (const [table, columns] of userColumns(db)) {
    for (const column of columns.values()) {
      if (hasColumn(db, table, column.id)) continue;
      if (column.isFormula) addPendingColumn(db, table, column);
      else db.exec(addColumnSql(table, column));
    }
  }
  db.clearStatements();
}
