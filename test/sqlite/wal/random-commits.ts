import { type Database } from "../../../src/sqlite/database.ts";
import type { Random } from "../../helpers/random.ts";

/** Runs one random transaction: rows, tables, savepoints, spills, rollbacks, free pages. May commit nothing. */
export function runRandomTransaction(db: Database, random: Random): void {
  // Small files are compared faster, and shrink and grow more often.
  if (pageCount(db) > MAX_PAGES) return db.run("delete from items where id % 3 <> ?", random.below(3));
  if (random.oneIn(10)) return runVacuumStep(db, random);
  const isRolledBack = random.oneIn(7);
  try {
    db.transaction(() => {
      const steps = 1 + random.below(6);
      for (let step = 0; step < steps; step++) runStep(db, random);
      if (isRolledBack) throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

class RolledBack extends Error {}

const MAX_PAGES = 300;

const pageCount = (db: Database): number =>
  Number(db.values("pragma page_count")[0]?.[0]) - Number(db.values("pragma freelist_count")[0]?.[0]);

/** A file with a page cache that is too small for most transactions, so that they spill pages into the log. */
export function prepareFile(db: Database): void {
  db.exec("pragma cache_size = 10");
  db.exec("pragma cache_spill = 5");
  db.exec("pragma wal_autocheckpoint = 0");
}

export const SCHEMA = `pragma auto_vacuum = incremental;
  create table items (id integer primary key, name text, data blob);
  create index items_by_name on items (name);`;

function runStep(db: Database, random: Random): void {
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
      return insertRows(db, random, 1 + random.below(5));
    case 3:
      return insertRows(db, random, 20 + random.below(101));
    case 4:
      return db.run("update items set name = name || 'x' where id % ? = 0", 2 + random.below(39));
    case 5:
      return db.run("delete from items where id % ? = 1", 2 + random.below(8));
    case 6:
      return db.exec(`create table if not exists t${random.below(6)} (a, b); drop table if exists t${random.below(6)}`);
    case 7:
      return runSavepoint(db, random);
    case 8:
      return random.oneIn(5) ? db.exec("delete from items") : undefined;
    default:
      return db.run("update items set data = zeroblob(?) where id = ?", random.below(9001), 1 + random.below(300));
  }
}

function insertRows(db: Database, random: Random, count: number): void {
  for (let row = 0; row < count; row++) {
    db.run(
      "insert into items (name, data) values (?, randomblob(?))",
      `item ${random.below(1000)}`,
      random.below(3001),
    );
  }
}

function runSavepoint(db: Database, random: Random): void {
  const isRolledBack = random.oneIn(2);
  try {
    db.transaction(() => {
      insertRows(db, random, 1 + random.below(60));
      if (isRolledBack) throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

function runVacuumStep(db: Database, random: Random): void {
  if (random.oneIn(10)) db.exec("vacuum");
  else db.values(`pragma incremental_vacuum(${1 + random.below(50)})`);
}
