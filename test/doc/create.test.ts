import { beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { METADATA_TABLES, SYSTEM_TABLES } from "../../src/doc/metadata-tables.ts";
import { Database } from "../../src/sqlite/database.ts";
import { unmarshal } from "../../src/values/marshal.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "document.grist");
});

const columnsOf = (db: Database, table: string) =>
  db.values("select name, type, dflt_value from pragma_table_info(?)", table);

test("a new document has all tables of the format, one empty user table, and no companion files", () => {
  createDocumentFile(path, { now: 1_700_000_000_000 });
  expect(readdirSync(folder)).toEqual(["document.grist"]);
  using db = new Database(path, { readonly: true });
  const tables = db.values("select name from sqlite_master where type = 'table'").map(String);
  const known = [...METADATA_TABLES, ...SYSTEM_TABLES].map((table) => table.id);
  expect(tables.toSorted()).toEqual([...known, "Table1", "_quern_commit"].toSorted());
  expect(db.get<object>("pragma integrity_check")).toEqual({ integrity_check: "ok" });
  expect(db.get<object>("pragma user_version")).toEqual({ user_version: 9 });
  expect(db.get<object>("pragma journal_mode")).toEqual({ journal_mode: "delete" });
  expect(columnsOf(db, "Table1")).toEqual([
    ["id", "INTEGER", null],
    ["manualSort", "NUMERIC", "1e999"],
    ["A", "BLOB", "NULL"],
    ["B", "BLOB", "NULL"],
    ["C", "BLOB", "NULL"],
  ]);
  expect(columnsOf(db, "_grist_Triggers").slice(0, 4)).toEqual([
    ["id", "INTEGER", null],
    ["tableRef", "INTEGER", "0"],
    ["eventTypes", "TEXT", "NULL"],
    ["isReadyColRef", "INTEGER", "0"],
  ]);
});

test("its metadata describe the table, its page and its sections", () => {
  createDocumentFile(path);
  using db = new Database(path, { readonly: true });
  const columns = db.values(
    "select id, parentId, parentPos, colId, type, isFormula, formula from _grist_Tables_column",
  );
  expect(columns).toEqual([
    [1, 1, 1, "manualSort", "ManualSortPos", 0, ""],
    [2, 1, 2, "A", "Any", 1, ""],
    [3, 1, 3, "B", "Any", 1, ""],
    [4, 1, 4, "C", "Any", 1, ""],
  ]);
  expect(db.values("select * from _grist_Tables")).toEqual([[1, "Table1", 1, 0, 0, 2, 3]]);
  expect(db.values("select id, tableRef, parentId, parentKey, sortColRefs from _grist_Views_section")).toEqual([
    [1, 1, 1, "record", "[]"],
    [2, 1, 0, "record", ""],
    [3, 1, 0, "single", ""],
  ]);
  expect(db.values("select parentId, colRef from _grist_Views_section_field where parentPos in (1, 6, 8)")).toEqual([
    [1, 2],
    [2, 4],
    [3, 3],
  ]);
  expect(db.values("select viewRef, indentation, pagePos from _grist_Pages")).toEqual([[1, 0, 1]]);
  expect(db.values("select resource, permissions, principals, rulePos from _grist_ACLRules")).toEqual([
    [1, 63, "[1]", Infinity],
  ]);
  expect(db.values("select groupName from _grist_ACLPrincipals").flat()).toEqual([
    "Owners",
    "Admins",
    "Editors",
    "Viewers",
  ]);
});

test("stores time zone and locale in the document", () => {
  createDocumentFile(path, { timezone: "Europe/Vienna", locale: "de-AT" });
  using db = new Database(path, { readonly: true });
  expect(db.values("select id, schemaVersion, timezone, documentSettings from _grist_DocInfo")).toEqual([
    [1, 46, "Europe/Vienna", '{"locale":"de-AT","engine":"python3"}'],
  ]);
});

test("the history begins with one state without actions", () => {
  createDocumentFile(path, { now: 1_700_000_000_000 });
  using db = new Database(path, { readonly: true });
  const state = db.get<{ actionHash: string; body: Uint8Array }>("select * from _gristsys_ActionHistory");
  expect(unmarshal(state?.body ?? new Uint8Array())).toEqual({
    actionHash: state?.actionHash,
    actionNum: 1,
    calc: [],
    envelopes: [],
    info: [0, { desc: null, inst: "unset-inst", linkId: 0, otherId: 0, time: 1_700_000_000_000, user: "grist" }],
    parentActionHash: null,
    stored: [],
    undo: [],
    userActions: [],
  });
  expect(db.values("select name, actionRef from _gristsys_ActionHistoryBranch")).toEqual([
    ["shared", 1],
    ["local_sent", 1],
    ["local_unsent", 1],
  ]);
});

test("omits user tables with firstTable: false", () => {
  createDocumentFile(path, { firstTable: false });
  using db = new Database(path, { readonly: true });
  for (const table of ["Tables", "Tables_column", "Views", "Views_section", "Pages", "TabBar"]) {
    expect(db.get<object>(`select count(*) as rows from _grist_${table}`)).toEqual({ rows: 0 });
  }
  expect(db.get<object>("select count(*) as rows from _grist_DocInfo")).toEqual({ rows: 1 });
});

test("refuses to overwrite an existing file", () => {
  writeFileSync(path, "mine");
  expect(() => createDocumentFile(path)).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(Bun.file(path).size).toBe(4);
});

test("refuses a missing folder and leaves nothing", () => {
  expect(() => createDocumentFile(join(folder, "nowhere", "document.grist"))).toThrow(
    expect.objectContaining({ code: "storage" }),
  );
  expect(existsSync(join(folder, "nowhere"))).toBe(false);
});
