import type { StagedTable } from "../exchange/staging.ts";
import { stagedRows } from "../exchange/staging.ts";
import { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { columnType } from "../values/column-type.ts";
import { applyUserActions } from "./actions/engine.ts";
import { createDocumentFile } from "./create.ts";
import { OpenDocument } from "./document.ts";
import { putInPlace, removeDatabase } from "./file-copy.ts";
import type { ImportedCounts } from "./import.ts";
import { newTables, type PlannedTable } from "./import-plan.ts";
import { importedCell } from "./imported-cell.ts";
import { checkCellSize } from "./limits.ts";
import { NOBODY } from "./user-info.ts";

/**
 * Writes the file of a new document that holds just these tables. Its history begins with them.
 * @param nowMs when that is, in milliseconds since the epoch
 * @throws AppError `invalid` for more columns than a table has, `tooLarge` for a cell, `storage` when the disk is full;
 *   nothing is left at `to` or beside it then
 */
export function createDocumentOfTables(to: string, staged: readonly StagedTable[], nowMs: number): ImportedCounts {
  const file = `${to}.part`;
  removeDatabase(file);
  try {
    createDocumentFile(file, { now: nowMs, firstTable: false });
    fill(file, addTables(file, staged, nowMs));
    putInPlace(file, to);
  } finally {
    removeDatabase(file);
  }
  return { tables: staged.length, rows: staged.reduce((sum, { rowCount }) => sum + rowCount, 0) };
}

function addTables(file: string, staged: readonly StagedTable[], nowMs: number): PlannedTable[] {
  using document = new OpenDocument(file, { durability: "normal" });
  const tables = newTables(document.schema, staged);
  applyUserActions(
    document,
    tables.map(({ addition }) => addition),
    { parse: false, user: NOBODY, nowMs },
  );
  return tables;
}

function fill(file: string, tables: readonly PlannedTable[]): void {
  using db = new Database(file);
  // The file is worth nothing until it is complete, and written to the disk then.
  db.exec("pragma synchronous = off");
  db.exec("pragma journal_mode = off");
  db.transaction(() => {
    // What was done to make the tables would be undone without their rows.
    db.exec("delete from _gristsys_ActionHistory where id > 1");
    db.exec("update _gristsys_ActionHistoryBranch set actionRef = 1");
    for (const table of tables) insertRows(db, table);
  });
}

function insertRows(db: Database, { id: table, columns, staged }: PlannedTable): void {
  const names = ["id", "manualSort", ...columns.map(({ id }) => quote(id))];
  const insert = db.prepare(
    `insert into ${quote(table)} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
  );
  const kinds = columns.map(({ source, type }) => ({ at: source.at, kind: columnType(type), label: source.label }));
  let id = 0;
  for (const rows of stagedRows(staged)) {
    for (const row of rows) {
      id++;
      const cells = kinds.map(({ at, kind, label }) => {
        const value = importedCell(kind, row[at] ?? null);
        checkCellSize(value, () => `Column ${JSON.stringify(label)}, row ${id}`);
        return kind.encode(value);
      });
      insert.run(id, id, ...cells);
    }
  }
}
