import { must } from "../../../src/lib/assert.ts";
import type { Database, SqlValue } from "../../../src/sqlite/database.ts";
import { quote } from "../../../src/sqlite/quote.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { columnType } from "../../../src/values/column-type.ts";

export interface SampleTable {
  readonly id: string;
  /** Types by column id; `manualSort` is added where missing and filled with the row's number. */
  readonly columns: Readonly<Record<string, string>>;
  readonly widgetOptions?: Readonly<Record<string, unknown>>;
  readonly rows?: readonly Readonly<Record<string, CellValue>>[];
}

/** Stores a table in a document's file directly, bypassing all code that writes. */
export function addSampleTable(db: Database, table: SampleTable): void {
  const columns = { manualSort: "ManualSortPos", ...table.columns };
  db.transaction(() => {
    const ref = must(db.get<{ ref: number }>("select max(id) + 1 as ref from _grist_Tables")).ref;
    db.run("insert into _grist_Tables (id, tableId) values (?, ?)", ref, table.id);
    for (const [id, type] of Object.entries(columns)) {
      const options = table.widgetOptions?.[id];
      db.run(
        "insert into _grist_Tables_column (parentId, colId, type, label, widgetOptions) values (?, ?, ?, ?, ?)",
        ref,
        id,
        type,
        id,
        options === undefined ? "" : JSON.stringify(options),
      );
    }
    const declared = Object.entries(columns).map(([id, text]) => {
      const type = columnType(text);
      return `${quote(id)} ${type.sqlType} default ${type.sqlDefault}`;
    });
    db.exec(`create table ${quote(table.id)} (id integer primary key, ${declared.join(", ")})`);
    insertRows(db, table.id, { columns, rows: table.rows ?? [] });
  });
}

function insertRows(
  db: Database,
  table: string,
  { columns, rows }: { columns: Record<string, string>; rows: readonly Readonly<Record<string, CellValue>>[] },
): void {
  const names = Object.keys(columns);
  const sql = `insert into ${quote(table)} (id, ${names.map(quote).join(", ")}) values (?, ${names.map(() => "?").join(", ")})`;
  rows.forEach((row, at) => {
    const cells = names.map((name): SqlValue => {
      const type = columnType(must(columns[name]));
      const value = name in row ? must({ value: row[name] }).value : name === "manualSort" ? at + 1 : type.defaultValue;
      return type.encode(value ?? null);
    });
    db.run(sql, Number(row["id"] ?? at + 1), ...cells);
  });
}
