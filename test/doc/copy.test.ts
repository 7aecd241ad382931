import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkDocumentFile } from "../../src/doc/check-document.ts";
import { copyDocumentFile } from "../../src/doc/copy-document.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { historyEntry } from "../../src/doc/history-entry.ts";
import { Database } from "../../src/sqlite/database.ts";
import { unmarshal } from "../../src/values/marshal.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const SECRET = "for nobody else's eyes";
let folder: string;
let from: string;
let to: string;
let original: Database;
beforeEach(() => {
  folder = tempFolder();
  from = join(folder, "document.grist");
  mkdirSync(join(folder, "copy"));
  to = join(folder, "copy", "document.grist");
  createDocumentFile(from);
  original = new Database(from, { journal: "wal" });
  original.run("insert into Table1 (A, manualSort) values (?, 1)", SECRET);
  original.run("insert into _grist_Attachments (fileIdent) values ('a.txt')");
  original.run("insert into _gristsys_Files (ident, data) values ('a.txt', ?)", SECRET);
  original.run("insert into _grist_Cells (tableRef, colRef, rowId, content) values (1, 2, 1, ?)", SECRET);
  original.run("insert into _grist_Triggers (tableRef, actions) values (1, ?)", SECRET);
  original.exec("create table _quern_outbox (id INTEGER PRIMARY KEY, event TEXT)");
  original.run("insert into _quern_outbox (event) values (?)", SECRET);
  addState(2);
  addState(3);
});
afterEach(() => original.close());

function addState(actionNum: number): void {
  const action = ["AddRecord", "Table1", 1, { A: SECRET }];
  const nothing = { calc: [], undo: [], userActions: [action] };
  const state = { actionNum, parentActionHash: "x", time: 5, user: "ann@example.com", stored: [action], ...nothing };
  const { actionHash, body } = historyEntry(state);
  original.run(
    "insert into _gristsys_ActionHistory (id, actionHash, parentRef, actionNum, body) values (?, ?, ?, ?, ?)",
    actionNum,
    actionHash,
    actionNum - 1,
    actionNum,
    body,
  );
  original.run("update _gristsys_ActionHistoryBranch set actionRef = ?", actionNum);
}

const read = (sql: string) => {
  using db = new Database(to, { readonly: true });
  return db.values(sql);
};
const names = () => read("select name from sqlite_master").flat();

test("a copy has everything except webhooks and internal tables", () => {
  copyDocumentFile(from, to, { asTemplate: false });
  expect(read("select A from Table1")).toEqual([[SECRET]]);
  expect(read("select data from _gristsys_Files")).toEqual([[SECRET]]);
  expect(read("select count(*) from _grist_Cells")).toEqual([[1]]);
  expect(read("select actionNum from _gristsys_ActionHistory").flat()).toEqual([1, 2, 3]);
  expect(read("select count(*) from _grist_Triggers")).toEqual([[0]]);
  expect(names()).not.toContain("_quern_outbox");
  expect(read("pragma journal_mode")).toEqual([["delete"]]);
  expect(readdirSync(join(folder, "copy"))).toEqual(["document.grist"]);
  expect(checkDocumentFile(to)).toEqual({ ok: true, problems: [], notices: [] });
});

test("a template has the structure, and no data remains in the file's bytes", () => {
  copyDocumentFile(from, to, { asTemplate: true });
  for (const table of ["Table1", "_grist_Attachments", "_gristsys_Files", "_grist_Cells", "_grist_Triggers"]) {
    expect(read(`select count(*) from ${table}`)).toEqual([[0]]);
  }
  expect(read("select colId from _grist_Tables_column").flat()).toEqual(["manualSort", "A", "B", "C"]);
  expect(read("select name from _grist_Views")).toEqual([["Table1"]]);
  expect(readFileSync(to).includes(SECRET)).toBe(false);
  expect(checkDocumentFile(to)).toEqual({ ok: true, problems: [], notices: [] });
});

test("a template keeps the hash of the newest state without its actions", () => {
  copyDocumentFile(from, to, { asTemplate: true });
  const [state, ...others] = read("select actionNum, actionHash, body from _gristsys_ActionHistory");
  expect(others).toEqual([]);
  const newest = original.values("select actionNum, actionHash from _gristsys_ActionHistory where id = 3")[0];
  expect(state?.slice(0, 2)).toEqual(newest);
  expect(unmarshal(state?.[2] as Uint8Array)).toMatchObject({ actionNum: 3, stored: [], undo: [], userActions: [] });
  expect(read("select distinct actionRef from _gristsys_ActionHistoryBranch")).toEqual([[3]]);
});

test("copying does not wait for writers and sees only committed data", () => {
  original.transaction(() => {
    original.run("insert into Table1 (A) values ('unfinished')");
    copyDocumentFile(from, to, { asTemplate: false });
  });
  expect(read("select A from Table1")).toEqual([[SECRET]]);
  expect(original.values("select count(*) from Table1")).toEqual([[2]]);
});

test("nothing remains when the copy cannot be written", () => {
  const nowhere = join(folder, "nowhere", "document.grist");
  expect(() => copyDocumentFile(from, nowhere, { asTemplate: false })).toThrow(
    expect.objectContaining({ code: "storage" }),
  );
  expect(readdirSync(folder).filter((name) => name.includes("nowhere"))).toEqual([]);
});
