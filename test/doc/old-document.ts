import { initializeDocument } from "../../src/doc/create-document.ts";
import { Database, type SqlValue } from "../../src/sqlite/database.ts";
import { quote } from "../../src/sqlite/quote.ts";

type Row = Record<string, SqlValue>;

interface OldColumn {
  id: string;
  type: string;
  formula?: string;
  /** SQL type and default as the file declares them; null: not stored, as formulas were in early versions. */
  sql?: string | null;
  /** Other columns of its metadata row. */
  meta?: Row;
}

/** The metadata tables of the first version, with the SQL types of the first storage version. */
const FIRST_METADATA: Record<string, string> = {
  DocInfo: `docId TEXT DEFAULT "", peers TEXT DEFAULT ""`,
  Tables: `tableId TEXT DEFAULT ""`,
  Tables_column: `parentId INTEGER DEFAULT 0, parentPos REAL DEFAULT 2147483647, colId TEXT DEFAULT "",
    type TEXT DEFAULT "", widgetOptions TEXT DEFAULT "", isFormula BOOLEAN DEFAULT 0, formula TEXT DEFAULT "",
    label TEXT DEFAULT ""`,
  Views: `name TEXT DEFAULT "", type TEXT DEFAULT "", layoutSpec TEXT DEFAULT ""`,
  Views_section: `tableRef INTEGER DEFAULT 0, parentId INTEGER DEFAULT 0, parentKey TEXT DEFAULT "",
    title TEXT DEFAULT "", defaultWidth INTEGER DEFAULT 0, borderWidth INTEGER DEFAULT 0, filterSpec TEXT DEFAULT "",
    sortColRefs TEXT DEFAULT ""`,
  Views_section_field: `parentId INTEGER DEFAULT 0, parentPos REAL DEFAULT 2147483647, colRef INTEGER DEFAULT 0,
    width INTEGER DEFAULT 0, widgetOptions TEXT DEFAULT ""`,
};

/**
 * Writes a document's file in the form of an older program: either from scratch, with the metadata tables of the first
 * version, or from a new document declared to be of an older version (steps then find tables and columns that did not
 * exist in that version; `drop` removes the relevant ones).
 */
export class OldDocument implements Disposable {
  readonly db: Database;

  constructor(path: string, { storage, schema }: { storage: number; schema: number | "first" }) {
    this.db = new Database(path, { create: true });
    this.db.exec("pragma synchronous = off");
    if (schema === "first") {
      for (const [table, columns] of Object.entries(FIRST_METADATA)) {
        this.db.exec(`create table "_grist_${table}" (id INTEGER PRIMARY KEY, ${columns})`);
      }
      this.add("_grist_DocInfo", {});
    } else {
      initializeDocument(this.db, { firstTable: false, now: 0 });
      this.db.run("update _grist_DocInfo set schemaVersion = ?", schema);
    }
    this.db.exec(`pragma user_version = ${storage}`);
  }

  /** Adds a row, by default with the next free id; returns the id. */
  add(table: string, values: Row): number {
    const next = this.db.get<{ id: number }>(`select coalesce(max(id), 0) + 1 as id from ${quote(table)}`)?.id ?? 1;
    const row: Row = { id: next, ...values };
    const columns = Object.keys(row);
    this.db.run(
      `insert into ${quote(table)} (${columns.map(quote).join(", ")}) values (${columns.map(() => "?").join(", ")})`,
      ...Object.values(row),
    );
    return Number(row["id"]);
  }

  /**
   * Adds a table with its metadata; rows are given by column, ids count from 1. Returns refs by column id, and `""` for
   * the table.
   */
  table(id: string, columns: OldColumn[], rows: Row[] = [], meta: Row = {}): Record<string, number> {
    const tableRef = this.add("_grist_Tables", { tableId: id, ...meta });
    const refs: Record<string, number> = { "": tableRef };
    for (const [index, column] of columns.entries()) {
      refs[column.id] = this.add("_grist_Tables_column", {
        parentId: tableRef,
        parentPos: index + 1,
        colId: column.id,
        type: column.type,
        label: column.id,
        isFormula: column.formula === undefined ? 0 : 1,
        formula: column.formula ?? "",
        ...column.meta,
      });
    }
    const stored = columns.filter((column) => column.sql !== null);
    const definitions = stored.map((column) => `${quote(column.id)} ${column.sql ?? "BLOB DEFAULT NULL"}`);
    this.db.exec(`create table ${quote(id)} (${["id INTEGER PRIMARY KEY", ...definitions].join(", ")})`);
    for (const row of rows) this.add(id, row);
    return refs;
  }

  /** Drops a table, or a column if given. */
  drop(table: string, column?: string): void {
    this.db.clearStatements();
    if (column) this.db.exec(`alter table ${quote(table)} drop column ${quote(column)}`);
    else this.db.exec(`drop table ${quote(table)}`);
  }

  [Symbol.dispose](): void {
    this.db.close();
  }
}
