import { beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkDocumentFile } from "../../src/doc/check-document.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { Database } from "../../src/sqlite/database.ts";
import { marshal } from "../../src/values/marshal.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { OldDocument } from "./old-document.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = tempFolder();
  path = join(folder, "document.grist");
});

/** Returns the problems of a new document after running `sql`. */
function problemsAfter(...sql: string[]): string[] {
  createDocumentFile(path);
  {
    using db = new Database(path);
    for (const statement of sql) db.exec(statement);
  }
  const { ok, problems } = checkDocumentFile(path);
  expect(ok).toBe(problems.length === 0);
  expect(readdirSync(folder)).toEqual(["document.grist"]);
  return problems;
}

test("a new document has no problems", () => {
  expect(problemsAfter()).toEqual([]);
});

test("columns may be missing in metadata tables that nothing reads", () => {
  expect(problemsAfter("alter table _grist_Imports drop column parseFormula")).toEqual([]);
});

const damages: [string, string[]][] = [
  ["drop table Table1", ["Table Table1 is not stored."]],
  ["create table Stray (id INTEGER PRIMARY KEY)", ["The stored table Stray is missing from the metadata."]],
  ["alter table Table1 drop column B", ["Table Table1, column B: it is not stored."]],
  ["alter table Table1 add column X", ["Table Table1: the stored column x is missing from the metadata."]],
  ["drop table _grist_Shares", ["The metadata table _grist_Shares is missing."]],
  ["alter table _grist_Pages drop column options", ["The metadata column _grist_Pages.options is missing."]],
  ["update _grist_Tables set primaryViewId = 7", ["_grist_Tables 1: primaryViewId refers to 7, which does not exist."]],
  [
    "update _grist_Tables set rawViewSectionRef = 8",
    ["_grist_Tables 1: rawViewSectionRef refers to 8, which does not exist."],
  ],
  [
    "update _grist_Views_section_field set parentId = 9 where id = 2",
    ["_grist_Views_section_field 2: parentId refers to 9, which does not exist."],
  ],
  ["update _grist_Pages set viewRef = 5", ["_grist_Pages 1: viewRef refers to 5, which does not exist."]],
  [
    "update _grist_Tables_column set visibleCol = 50 where id = 2",
    ["_grist_Tables_column 2: visibleCol refers to 50, which does not exist."],
  ],
  [
    "update _grist_Tables_column set rules = '[3,60]' where id = 2",
    [
      "_grist_Tables_column 2: rules refers to 60, which does not exist.",
      "Table Table1, column A: a conditional format is not in the same table.",
    ],
  ],
  [
    "update _grist_Tables_column set reverseCol = 3 where id = 2",
    ["Table Table1, column A: its reverse column does not refer back to it."],
  ],
  [
    "update _grist_Tables_column set colId = 'a' where id = 3",
    [
      "Table Table1, column a: another column has the same id.",
      "Table Table1: the stored column b is missing from the metadata.",
    ],
  ],
  ["update _grist_Tables_column set type = 'Colour' where id = 2", ['Table Table1, column A: unknown type "Colour".']],
  [
    "update _grist_Tables_column set colId = 'gristHelper_Display' where id = 2; alter table Table1 rename A to gristHelper_Display",
    ["_grist_Tables_column 2: the hidden column gristHelper_Display is not used."],
  ],
  [
    "insert into _grist_Tables (tableId) values ('TABLE1')",
    ["Table TABLE1: another table has the same id.", "Table TABLE1: the stored column manualsort is missing"],
  ],
  ["insert into _grist_Pages (viewRef) values (1)", ["_grist_Pages 2: another page shows the same view."]],
  ["insert into _grist_DocInfo (schemaVersion) values (46)", ["_grist_DocInfo has 2 rows instead of one."]],
  ["delete from _gristsys_ActionHistory", ["The history is empty."]],
  [
    "update _gristsys_ActionHistoryBranch set actionRef = 4 where name = 'shared'",
    ["The history's branch shared does not point to its newest state."],
  ],
  [
    "insert into _gristsys_ActionHistory values (2, 'h', 7, 2, null); update _gristsys_ActionHistoryBranch set actionRef = 2",
    ["The history is broken: state 2 does not follow the one before it."],
  ],
  ["insert into Table1 (A) values (x'5b01')", ["Table Table1, column A: 1 cells cannot be read."]],
  [
    "create view Spy as select 1; create trigger t after insert on Table1 begin select 1; end",
    [
      "The file has a view Spy, which documents do not support.",
      "The file has a trigger t, which documents do not support.",
    ],
  ],
  ["create virtual table V using fts5(x)", ["The file has virtual tables, which documents do not support."]],
];

test.each(damages)("reports the problem after %s", (sql, expected) => {
  const found = problemsAfter(sql);
  for (const problem of expected) expect(found).toContainEqual(expect.stringContaining(problem));
});

test("reports fields of another table's columns and sections of another table", () => {
  using old = new OldDocument(path, { storage: 9, schema: 46 });
  const a = old.table("A", [{ id: "X", type: "Int" }]);
  const b = old.table("B", [{ id: "Y", type: "Int" }]);
  const section = old.add("_grist_Views_section", { tableRef: a[""] ?? 0 });
  old.add("_grist_Views_section_field", { parentId: section, colRef: b["Y"] ?? 0 });
  old.db.run("update _grist_Tables set rawViewSectionRef = ? where tableId = 'B'", section);
  expect(checkDocumentFile(path).problems).toEqual([
    "Table B: rawViewSectionRef is a section of another table.",
    "_grist_Views_section_field 1: its column is of another table than its section.",
  ]);
});

test("reports summaries of summaries and data columns in summaries", () => {
  using old = new OldDocument(path, { storage: 9, schema: 46 });
  const source = old.table("A", [{ id: "X", type: "Int" }]);
  const refs = { summarySourceTable: source[""] ?? 0 };
  const columns = [
    { id: "X", type: "Int", formula: "1" },
    { id: "Y", type: "Int" },
    { id: "count", type: "Int", formula: "len($group)" },
  ];
  const summary = old.table("A_summary_X", columns, [], refs);
  old.db.run("update _grist_Tables_column set summarySourceCol = ? where id = ?", source["X"] ?? 0, summary["X"] ?? 0);
  old.table("A_summary_X_summary", [], [], { summarySourceTable: summary[""] ?? 0 });
  for (const ref of [summary[""] ?? 0, (summary[""] ?? 0) + 1]) old.add("_grist_Views_section", { tableRef: ref });
  expect(checkDocumentFile(path).problems).toEqual([
    "Table A_summary_X_summary: it summarises a summary.",
    "Table A_summary_X, column X: a column that a summary groups by is computed.",
    "Table A_summary_X, column Y: a summary does not group by it.",
  ]);
});

test("reports files that are not documents", () => {
  writeFileSync(path, "City,Year\n");
  expect(checkDocumentFile(path)).toEqual({
    ok: false,
    problems: ["The file is not an SQLite database."],
    notices: [],
  });
  createDocumentFile(join(folder, "cut.grist"));
  truncateSync(join(folder, "cut.grist"), 50_000);
  expect(checkDocumentFile(join(folder, "cut.grist")).problems).toHaveLength(1);
  {
    using db = new Database(join(folder, "other.sqlite"), { create: true });
    db.exec("create table T (id INTEGER PRIMARY KEY)");
  }
  const { problems } = checkDocumentFile(join(folder, "other.sqlite"));
  expect(problems).toContain("The file is not a document: it has no table _grist_Tables.");
  expect(() => checkDocumentFile(join(folder, "none.grist"))).toThrow(expect.objectContaining({ code: "notFound" }));
});

test("checks an older document as it is after the upgrade", () => {
  {
    using old = new OldDocument(path, { storage: 1, schema: "first" });
    old.table("T", [
      { id: "A", type: "Text" },
      { id: "F", type: "Any", formula: "$A", sql: null },
    ]);
  }
  const before = readFileSync(path);
  expect(checkDocumentFile(path)).toEqual({ ok: true, problems: [], notices: [] });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(folder)).toEqual(["document.grist"]);
});

test("reads a file in WAL mode with its log, whether in use or left by a crash, without creating companion files", () => {
  createDocumentFile(path);
  using writer = new Database(path, { journal: "wal" });
  writer.exec("pragma wal_autocheckpoint = 0");
  writer.run("insert into Table1 (A) values (?)", marshal(["E", "ValueError"]));
  expect(checkDocumentFile(path).problems).toEqual([]);
  writer.exec("insert into Table1 (A) values (x'00')");
  expect(checkDocumentFile(path).problems).toHaveLength(1);

  mkdirSync(join(folder, "crashed"));
  const crashed = join(folder, "crashed", "document.grist");
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, crashed + suffix);
  expect(checkDocumentFile(crashed).problems).toHaveLength(1);
  expect(readdirSync(join(folder, "crashed")).toSorted()).toEqual(["document.grist", "document.grist-wal"]);
});

test("reports missing contents of attachments", () => {
  const ident = "a".repeat(40);
  const row = (id: number, name: string, size = 5) =>
    `insert into _grist_Attachments (id, fileIdent, fileName, fileSize) values (${id}, '${name}', 'x', ${size})`;
  const content = (name: string, data: string, store: string) =>
    `insert into _gristsys_Files (ident, data, storageId) values ('${name}', ${data}, ${store})`;
  expect(
    problemsAfter(
      row(1, "inside"),
      content("inside", "'12345'", "null"),
      row(2, "short"),
      content("short", "'123'", "null"),
      row(3, "lost"),
      content("lost", "null", "null"),
      row(4, "unknown"),
      row(5, ident),
      content(ident, "null", "'quern-folder'"),
      row(6, "elsewhere"),
      content("elsewhere", "null", "'some-bucket'"),
    ),
  ).toEqual([
    "Attachment 2: its content has 3 bytes instead of 5.",
    "Attachment 3: its content is missing.",
    "Attachment 4: its content is missing.",
    "Attachment 5: its content is missing.",
  ]);
  mkdirSync(join(folder, "attachments"));
  writeFileSync(join(folder, "attachments", ident), "1234");
  expect(checkDocumentFile(path).problems).toContain("Attachment 5: its content has 4 bytes instead of 5.");
  writeFileSync(join(folder, "attachments", ident), "12345");
  expect(checkDocumentFile(path).problems).toHaveLength(3);
});
