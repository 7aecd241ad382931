/** A database whose file is deleted or replaced while it is open. */
import { expect, test } from "bun:test";
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../../src/sqlite/database.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

function made(): { db: Database; path: string } {
  const path = join(tempFolder(), "a.sqlite");
  const db = new Database(path, { create: true, journal: "wal" });
  db.exec("create table t (a)");
  return { db, path };
}

const add = (db: Database, value: number): void => db.transaction(() => db.run("insert into t values (?)", value));
const isMissing = expect.objectContaining({ code: "damaged", message: expect.stringContaining("deleted or replaced") });

test("a deleted file rejects writes, keeps its data, and works again when it is restored", () => {
  const { db, path } = made();
  using _db = db;
  add(db, 1);
  renameSync(path, `${path}.away`);
  expect(() => add(db, 2)).toThrow(isMissing);
  renameSync(`${path}.away`, path);
  add(db, 3);
  expect(db.values("select a from t")).toEqual([[1], [3]]);
});

test("a replaced file rejects writes", () => {
  const { db, path } = made();
  using _db = db;
  add(db, 1);
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
  expect(() => add(db, 2)).toThrow(isMissing);
  expect(db.values("select a from t")).toEqual([[1]]);
});
