import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OpenDocument } from "../../src/doc/document.ts";
import { AppError } from "../../src/errors.ts";
import { Database } from "../../src/sqlite/database.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { addSampleTable, sampleDocument } from "./read/sample.ts";

describe("the file", () => {
  test("is in WAL mode while open, and a single file when closed", () => {
    const document = sampleDocument([{ id: "T", columns: {}, rows: [{}] }]);
    expect(document.db.get<object>("pragma journal_mode")).toEqual({ journal_mode: "wal" });
    expect(existsSync(`${document.path}-wal`)).toBe(true);
    document.close();
    document.close();
    expect(readdirSync(dirname(document.path))).toEqual(["document.grist"]);
    using db = new Database(document.path, { readonly: true });
    expect(db.get<object>("pragma journal_mode")).toEqual({ journal_mode: "delete" });
    expect(db.all("select id from T")).toHaveLength(1);
  });

  test("is complete even when another process keeps it open", () => {
    const document = sampleDocument([{ id: "T", columns: {}, rows: [{}] }]);
    using other = new Database(document.path, { readonly: true });
    other.exec("begin");
    expect(other.all("select id from T")).toHaveLength(1);
    document.close();
    expect(other.all("select id from T")).toHaveLength(1);
  });

  test("must exist and be a database", () => {
    const path = join(tempFolder(), "document.grist");
    expect(() => new OpenDocument(path)).toThrow(AppError);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, "no database at all, but long enough for a header ".repeat(100));
    expect(() => new OpenDocument(path)).toThrow(AppError);
  });
});

describe("derived data", () => {
  test("the schema is the same object until it is reported as changed", () => {
    using document = sampleDocument([{ id: "T", columns: { A: "Int", B: "Ref:T" } }]);
    const { schema } = document;
    document.onChanged({ schema: false });
    expect(document.schema).toBe(schema);
    expect(schema.tableById.get("T")?.columns.map(({ id, type }) => `${id} ${type}`)).toEqual([
      "manualSort ManualSortPos",
      "A Int",
      "B Ref:T",
    ]);
    addSampleTable(document.db, { id: "Later", columns: {} });
    expect(document.schema.tableById.has("Later")).toBe(false);
    document.onChanged({ schema: true });
    expect(document.schema.tableById.has("Later")).toBe(true);
  });

  test("the schema follows changes within a transaction and their rollback", () => {
    using document = sampleDocument([]);
    const work = () => {
      addSampleTable(document.db, { id: "Undone", columns: {} });
      document.invalidateSchema();
      expect(document.schema.tableById.has("Undone")).toBe(true);
      throw new Error("undo");
    };
    expect(() => document.db.transaction(work)).toThrow("undo");
    document.invalidateSchema();
    expect(document.schema.tableById.has("Undone")).toBe(false);
  });

  test("ignores orphaned rows of the metadata", () => {
    using document = sampleDocument([{ id: "T", columns: { A: "Int" } }]);
    document.db.exec(`insert into _grist_Tables (tableId) values ('');
      insert into _grist_Tables_column (parentId, colId, type) values (0, 'Lost', 'Int'), (77, 'Lost', 'Int'), (2, '', 'Int')`);
    document.invalidateSchema();
    expect(document.schema.tables.map(({ id }) => id)).toEqual(["Table1", "T"]);
    expect(document.schema.tableById.get("T")?.columns.map(({ id }) => id)).toEqual(["manualSort", "A"]);
  });
});

describe("rules", () => {
  const resource = (tableId: string, colIds: string) =>
    `insert into _grist_ACLResources (id, tableId, colIds) values (2, '${tableId}', '${colIds}');`;
  const rule = "insert into _grist_ACLRules (resource, aclFormula) values (2, 'True');";
  const cases: [name: string, sql: string, hasRules: boolean][] = [
    ["none but the one without effect", "", false],
    ["a table without a rule", resource("T", "*"), false],
    ["a table with one", resource("T", "*") + rule, true],
    ["columns with one", resource("T", "A,B") + rule, true],
    ["the default of the document", resource("*", "*") + rule, true],
    ["a rule for nothing", resource("", "") + rule, false],
    ["a file that knows none", "drop table _grist_ACLRules", false],
  ];
  test.each(cases)("%s", (_name, sql, hasRules) => {
    using document = sampleDocument([]);
    expect(document.hasRules).toBe(false);
    if (sql) document.db.exec(sql);
    document.onChanged({ schema: true });
    expect(document.hasRules).toBe(hasRules);
  });
});

describe("time zone and settings", () => {
  const cases: [sql: string, timezone: string, settings: object][] = [
    ["", "UTC", { locale: "en-US", engine: "python3" }],
    [
      "update _grist_DocInfo set timezone = 'Asia/Tokyo', documentSettings = '{\"locale\":\"ja-JP\"}'",
      "Asia/Tokyo",
      { locale: "ja-JP" },
    ],
    ["update _grist_DocInfo set timezone = '', documentSettings = 'broken {'", "UTC", {}],
    ["update _grist_DocInfo set documentSettings = '[1]'", "UTC", {}],
    ["delete from _grist_DocInfo", "UTC", {}],
    ["alter table _grist_DocInfo drop column timezone", "UTC", { locale: "en-US", engine: "python3" }],
    ["drop table _grist_DocInfo", "UTC", {}],
  ];
  test.each(cases)("%s", (sql, timezone, settings) => {
    using document = sampleDocument([]);
    if (sql) document.db.exec(sql);
    document.onChanged({ schema: true });
    expect(document.timezone).toBe(timezone);
    expect(document.documentSettings as object).toEqual(settings);
  });
});
