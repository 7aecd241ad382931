/** The connection alone, without statement parsing and without an authorizer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { isOpenElsewhere, openForReading } from "../../src/sql/open-for-reading.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const folder = tempFolder();
const path = join(folder, "a.sqlite");
let server: DatabaseSync;

beforeAll(() => {
  server = new DatabaseSync(path);
  server.exec("pragma journal_mode = wal; create table T (id integer primary key, a); insert into T values (1, 'one')");
});
afterAll(() => server.close());

describe("a reading connection rejects", () => {
  test.each([
    "insert into T values (2, 'two')",
    "update T set a = ''",
    "delete from T",
    "drop table T",
    "create table U (a)",
    "create temp table U (a)",
    "create view V as select 1",
    "pragma user_version = 5",
    "vacuum",
    "attach ':memory:' as other",
    "attach 'other.sqlite' as other",
    `vacuum into 'other.sqlite'`,
    "select load_extension('x')",
    "select zeroblob(100000000)",
    "select printf('%.*c', 100000000, 'x')",
  ])("%s", (sql) => {
    const db = openForReading(path);
    expect(() => db.prepare(sql).all()).toThrow();
    db.close();
  });
});

test("writes no files into the document's folder, and sees only committed data", () => {
  const before = readFileSync(path);
  const db = openForReading(path);
  const count = () => db.prepare("select count(*) as n from T").get()?.["n"];
  server.exec("begin immediate; insert into T values (2, 'two')");
  expect(count()).toBe(1);
  server.exec("commit");
  expect(count()).toBe(2);
  db.close();
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(folder).toSorted()).toEqual(["a.sqlite", "a.sqlite-shm", "a.sqlite-wal"]);
});

test("reading does not block writing", () => {
  const db = openForReading(path);
  const rows = db.prepare("select a.id from T a, T b").iterate();
  rows.next();
  server.exec("pragma busy_timeout = 0; insert into T values (3, 'three')");
  expect([...rows].length).toBe(3);
  db.close();
});

test("distinguishes an open file from a closed one", () => {
  const db = openForReading(path);
  expect(isOpenElsewhere(db)).toBe(true);
  db.close();
  const other = join(folder, "b.sqlite");
  const closed = new DatabaseSync(other);
  closed.exec("create table T (a)");
  closed.close();
  const again = openForReading(other);
  expect(isOpenElsewhere(again)).toBe(false);
  again.close();
});
