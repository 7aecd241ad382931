import { beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { checkDocumentFile } from "../../src/doc/check-document.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { importDocumentFile, upgradeDocumentFile } from "../../src/doc/import-document.ts";
import { Database } from "../../src/sqlite/database.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { OldDocument } from "./old-document.ts";

let source: string;
let target: string;
let from: string;
let to: string;
beforeEach(() => {
  const folder = tempFolder();
  source = join(folder, "source");
  target = join(folder, "target");
  mkdirSync(source);
  mkdirSync(target);
  from = join(source, "given.grist");
  to = join(target, "document.grist");
});

/** Writes a current document with one table of two rows, and additions by `more`. */
function write(more: (old: OldDocument) => void = () => {}): void {
  using old = new OldDocument(from, { storage: 9, schema: 46 });
  old.table("Sales", [{ id: "City", type: "Text" }], [{ City: "Oslo" }, { City: "Rome" }]);
  more(old);
}

const read = (sql: string) => {
  using db = new Database(to, { readonly: true });
  return db.values(sql);
};

test("imports a document as a single file and leaves the original unchanged", () => {
  write((old) => old.table("Sales_summary", [], [{}], { summarySourceTable: 1 }));
  const before = readFileSync(from);
  expect(importDocumentFile(from, to)).toEqual({ tables: 1, rows: 2 });
  expect(read("select City from Sales").flat()).toEqual(["Oslo", "Rome"]);
  expect(readdirSync(target)).toEqual(["document.grist"]);
  expect(readdirSync(source)).toEqual(["given.grist"]);
  expect(readFileSync(from).equals(before)).toBe(true);
});

test("includes changes in a write-ahead log, and the result has no log", () => {
  write();
  using writer = new Database(from, { journal: "wal" });
  writer.exec("pragma wal_autocheckpoint = 0");
  writer.run("insert into Sales (City) values ('Bonn')");
  expect(importDocumentFile(from, to)).toEqual({ tables: 1, rows: 3 });
  expect(read("pragma journal_mode")).toEqual([["delete"]]);
  expect(readdirSync(target)).toEqual(["document.grist"]);
});

test("makes the copy of a read-only file writable", () => {
  write();
  chmodSync(from, 0o444);
  importDocumentFile(from, to);
  expect(statSync(to).mode & 0o777).toBe(0o644);
});

test("does not replace a document in use by another process", () => {
  write((old) => old.db.run("update _grist_DocInfo set schemaVersion = 40"));
  using other = new Database(from, { journal: "wal" });
  other.values("select * from Sales");
  const before = other.values("select schemaVersion from _grist_DocInfo");
  expect(() => upgradeDocumentFile(from)).toThrow(expect.objectContaining({ code: "unavailable" }));
  expect(other.values("select schemaVersion from _grist_DocInfo")).toEqual(before);
});

test("imports a file in WAL mode without a log", () => {
  write((old) => old.db.exec("pragma journal_mode = wal"));
  expect(readdirSync(source)).toEqual(["given.grist"]);
  expect(importDocumentFile(from, to)).toEqual({ tables: 1, rows: 2 });
  expect(read("pragma journal_mode")).toEqual([["delete"]]);
});

const refusals: [string, () => void, string][] = [
  ["text", () => writeFileSync(from, "City,Year\nOslo,2020\n"), "invalid"],
  ["nothing", () => writeFileSync(from, ""), "invalid"],
  ["a header alone", () => writeFileSync(from, "SQLite format 3\0"), "invalid"],
  ["a header and rubbish", () => writeFileSync(from, `SQLite format 3\0${"x".repeat(5000)}`), "invalid"],
  ["a missing file", () => {}, "notFound"],
  [
    "a truncated document",
    () => {
      write();
      truncateSync(from, 20_000);
    },
    "invalid",
  ],
  [
    "a document with a broken page",
    () => {
      write();
      const bytes = readFileSync(from);
      bytes.fill(0xaa, 4096, 12_288);
      writeFileSync(from, bytes);
    },
    "invalid",
  ],
  [
    "another database",
    () => {
      using db = new Database(from, { create: true });
      db.exec("create table Sales (id INTEGER PRIMARY KEY, City TEXT)");
    },
    "invalid",
  ],
  [
    "a document whose metadata is a view",
    () =>
      write((old) => {
        old.drop("_grist_Tables");
        old.db.exec("create view _grist_Tables as select 1 as id, 'Sales' as tableId");
      }),
    "invalid",
  ],
  [
    "a document whose metadata names tables of the format",
    () => write((old) => old.add("_grist_Tables", { tableId: "_gristsys_Files" })),
    "invalid",
  ],
  [
    "a document with a table without row ids",
    () =>
      write((old) => {
        old.drop("Sales");
        old.db.exec("create table Sales (City TEXT)");
      }),
    "invalid",
  ],
  ["virtual tables", () => write((old) => old.db.exec("create virtual table Words using fts5(word)")), "invalid"],
];

test.each(refusals)("%s is refused and leaves nothing", (_, make, code) => {
  make();
  expect(() => importDocumentFile(from, to)).toThrow(expect.objectContaining({ name: "AppError", code }));
  expect(readdirSync(target)).toEqual([]);
});

test("refusals do not quote SQLite's messages", () => {
  write((old) => {
    old.drop("Sales");
    old.db.exec("create table Sales (City TEXT)");
  });
  expect(() => importDocumentFile(from, to)).toThrow("The file is damaged or not a document");
});

test("drops triggers, views and indexes without running any trigger", () => {
  write((old) => {
    old.db.run("update _grist_DocInfo set schemaVersion = 30");
    old.db.exec(`create view Spy as select * from Sales;
      create index by_city on Sales (upper(City));
      create table Loot (id INTEGER PRIMARY KEY, what TEXT);
      create trigger on_info after update on _grist_DocInfo begin insert into Loot (what) values ('ran'); end;
      create trigger on_sales after insert on Sales begin insert into Loot (what) values ('ran'); end;
      create trigger on_history after insert on _gristsys_ActionHistory begin delete from Sales; end`);
  });
  importDocumentFile(from, to);
  expect(read("select type, name from sqlite_master where type in ('view', 'trigger')")).toEqual([]);
  expect(read("select name from sqlite_master where type = 'index' and tbl_name = 'Sales'")).toEqual([]);
  expect(read("select * from Loot")).toEqual([]);
  expect(read("select count(*) from Sales")).toEqual([[2]]);
});

test("removes constraints, generated columns and default expressions, and keeps the values", () => {
  write((old) => {
    old.drop("Sales");
    old.db.exec(`create table Sales (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      City TEXT NOT NULL COLLATE NOCASE UNIQUE CHECK (City <> 'x'), -- don't
      "Len" AS (length(City)) STORED,
      "Rand" "a b) x (" DEFAULT (random()) -- isn't
    )`);
    for (const id of ["Len", "Rand"]) old.add("_grist_Tables_column", { parentId: 1, colId: id, type: "Any" });
    old.db.exec("insert into Sales (City, Rand) values ('Oslo', 5)");
  });
  importDocumentFile(from, to);
  expect(read("select * from Sales")).toEqual([[1, "Oslo", 4, 5]]);
  expect(read("select name, type, dflt_value, hidden from pragma_table_xinfo('Sales')")).toEqual([
    ["id", "INTEGER", null, 0],
    ["City", "TEXT", "NULL", 0],
    ["Len", "BLOB", "NULL", 0],
    ["Rand", "BLOB", "NULL", 0],
  ]);
  expect(read("select sql from sqlite_master where name = 'Sales'").join("")).not.toMatch(
    /check|not null|unique|as \(/i,
  );
});

test("treats names that resemble SQL as names", () => {
  const id = 'A"; drop table Sales; --';
  write((old) => {
    old.table(
      "T",
      [
        { id, type: "Text" },
        { id: "check", type: "Text" },
      ],
      [{ [id]: "x", check: "y" }],
    );
  });
  importDocumentFile(from, to);
  expect(read("select * from T")).toEqual([[1, "x", "y"]]);
  expect(read("select count(*) from Sales")).toEqual([[2]]);
});

test("drops internal tables of another server and keeps the rows of webhooks", () => {
  write((old) => {
    old.db.exec("create table _quern_outbox (id INTEGER PRIMARY KEY, event TEXT)");
    old.add("_grist_Triggers", { tableRef: 1, actions: "[]" });
  });
  importDocumentFile(from, to);
  expect(read("select name from sqlite_master where name like '\\_quern%' escape '\\'")).toEqual([]);
  expect(read("select tableRef from _grist_Triggers")).toEqual([[1]]);
});

test("imports a newer document unchanged", () => {
  write((old) => {
    old.db.exec("pragma user_version = 12");
    old.db.run("update _grist_DocInfo set schemaVersion = 999999");
    old.db.exec("alter table _grist_Tables add column colour TEXT DEFAULT 'red'");
    old.drop("_grist_Shares");
  });
  expect(importDocumentFile(from, to)).toEqual({ tables: 1, rows: 2 });
  expect(read("pragma user_version")).toEqual([[12]]);
  expect(read("select schemaVersion from _grist_DocInfo")).toEqual([[999_999]]);
  expect(read("select colour from _grist_Tables")).toEqual([["red"]]);
  expect(upgradeDocumentFile(to)).toBe(false);
});

test("upgrading a current document does nothing", () => {
  createDocumentFile(to);
  const before = readFileSync(to);
  expect(upgradeDocumentFile(to)).toBe(false);
  expect(readFileSync(to).equals(before)).toBe(true);
  expect(readdirSync(target)).toEqual(["document.grist"]);
});

test("replaces an older document by its upgrade", () => {
  {
    using old = new OldDocument(to, { storage: 1, schema: "first" });
    old.table("T", [{ id: "A", type: "Text", sql: `TEXT DEFAULT ""` }], [{ A: "x" }]);
    // The state after a crash: the change is in the log only.
    old.db.exec("pragma journal_mode = wal");
    old.add("T", { A: "y" });
    copyFileSync(to, from);
    copyFileSync(`${to}-wal`, `${from}-wal`);
  }
  expect(upgradeDocumentFile(from)).toBe(true);
  expect(readdirSync(source).toSorted()).toEqual(["former.grist", "given.grist"]);
  expect(checkDocumentFile(from)).toEqual({ ok: true, problems: [], notices: [] });
  using db = new Database(from, { readonly: true });
  expect(db.values("select A from T").flat()).toEqual(["x", "y"]);
  expect(upgradeDocumentFile(from)).toBe(false);
});

test("leaves a document unchanged when its upgrade fails", () => {
  write((old) => {
    old.db.run("update _grist_DocInfo set schemaVersion = 30");
    // Creating raw sections fails without this table.
    old.drop("_grist_Views_section");
    old.db.exec("create view _grist_Views_section as select 1 as id");
  });
  const before = readFileSync(from);
  expect(() => upgradeDocumentFile(from)).toThrow(expect.objectContaining({ code: "damaged" }));
  expect(readFileSync(from).equals(before)).toBe(true);
  expect(readdirSync(source)).toEqual(["given.grist"]);
});

test("refuses to upgrade a database that is not a document", () => {
  using db = new Database(to, { create: true });
  db.exec("create table T (id INTEGER PRIMARY KEY)");
  expect(() => upgradeDocumentFile(to)).toThrow(expect.objectContaining({ code: "damaged" }));
  expect(existsSync(`${to}.part`)).toBe(false);
});
