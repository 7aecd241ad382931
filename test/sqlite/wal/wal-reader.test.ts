/** Frames that are read from the log of an open database and applied to a copy of its file. */
import { expect, test } from "bun:test";
import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../../../src/sqlite/database.ts";
import { applyPageSet, decodePageSet, type PageSet, PageSetEncoder } from "../../../src/sqlite/wal/page-set.ts";
import { WalReader } from "../../../src/sqlite/wal/wal-reader.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { prepareFile, runRandomTransaction, SCHEMA } from "./random-commits.ts";

/** An open database, a reader of its log, and a copy of its file. */
class Replication implements Disposable {
  readonly path = join(tempFolder(), "a.sqlite");
  readonly copy = `${this.path}.copy`;
  readonly db: Database;
  readonly reader: WalReader;
  readonly #encoder = new PageSetEncoder();

  constructor() {
    this.db = open(this.path);
    this.db.exec(SCHEMA);
    this.db.checkpoint("truncate");
    copyFileSync(this.path, this.copy);
    this.reader = new WalReader(this.path);
  }

  /** Applies what was committed since the last call; returns the number of commits. */
  apply(): number {
    const read = this.reader.read();
    if (read.kind === "none") return 0;
    if (read.kind !== "pages") throw new Error(`unexpected ${read.kind}`);
    const file = openSync(this.copy, "r+");
    applyPageSet(file, decodePageSet(this.#encoder.encode(read.pages)));
    closeSync(file);
    return read.commits;
  }

  checkpoint(mode: "passive" | "truncate"): boolean {
    const isComplete = this.db.checkpoint(mode);
    this.reader.checkpointed();
    return isComplete;
  }

  [Symbol.dispose](): void {
    this.reader[Symbol.dispose]();
    this.db.close();
  }
}

function open(path: string): Database {
  const db = new Database(path, { create: true, journal: "wal", keepsLog: true, durability: "off" });
  prepareFile(db);
  return db;
}

const add = (db: Database, name: string): void => db.run("insert into items (name) values (?)", name);

const COMMITS = randomRuns(2000, 10_000);

test("page sets of random transactions, applied to a copy, give a byte-identical file", () => {
  const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 2 ** 31);
  const random = new Random(seed);
  using replication = new Replication();
  let commits = 0;
  let comparisons = 0;
  while (commits < COMMITS) {
    runRandomTransaction(replication.db, random);
    if (!random.oneIn(6)) commits += replication.apply();
    if (!random.oneIn(12)) continue;
    commits += replication.apply();
    if (!replication.checkpoint(random.oneIn(2) ? "truncate" : "passive")) continue;
    comparisons++;
    if (!readFileSync(replication.path).equals(readFileSync(replication.copy))) {
      throw new Error(`The files differ after ${commits} commits (QUERN_TEST_SEED=${seed})`);
    }
  }
  expect(comparisons).toBeGreaterThan(COMMITS / 30);
});

test("a reader begins after the commits that the log contains when it is created", () => {
  using replication = new Replication();
  add(replication.db, "before");
  using reader = new WalReader(replication.path);
  expect(reader.read()).toEqual({ kind: "none" });
  add(replication.db, "after");
  expect(reader.read()).toMatchObject({ kind: "pages", commits: 1 });
});

test("frames of a rolled-back transaction that spilled into the log are skipped", () => {
  using replication = new Replication();
  const { db } = replication;
  add(db, "first");
  replication.apply();
  const before = statSync(`${replication.path}-wal`).size;
  expect(() =>
    db.transaction(() => {
      for (let row = 0; row < 300; row++) db.run("insert into items (data) values (randomblob(2000))");
      throw new Error("rolled back");
    }),
  ).toThrow("rolled back");
  expect(statSync(`${replication.path}-wal`).size).toBeGreaterThan(before);
  expect(replication.apply()).toBe(0);
  add(db, "second");
  expect(replication.apply()).toBe(1);
  replication.checkpoint("truncate");
  expect(readFileSync(replication.path).equals(readFileSync(replication.copy))).toBe(true);
});

test("a log that another connection emptied before it was read is reported as a discontinuity, once", () => {
  using replication = new Replication();
  const { db, reader } = replication;
  add(db, "read");
  replication.apply();
  add(db, "not read");
  db.checkpoint("truncate");
  expect(reader.read()).toEqual({ kind: "discontinuity" });
  expect(reader.read()).toEqual({ kind: "none" });
  add(db, "later");
  expect(reader.read()).toMatchObject({ kind: "pages", commits: 1 });
});

test("a log that began again before it was read is reported as a discontinuity, once", () => {
  using replication = new Replication();
  const { db, reader } = replication;
  add(db, "read");
  replication.apply();
  add(db, "not read");
  db.checkpoint("passive");
  add(db, "overwrites the log");
  expect(reader.read()).toEqual({ kind: "discontinuity" });
  add(db, "later");
  expect(reader.read()).toMatchObject({ kind: "pages", commits: 1 });
});

test("a commit of more pages than allowed is reported as large, and the next one is read", () => {
  using replication = new Replication();
  const { db } = replication;
  using reader = new WalReader(replication.path, { maxBytes: 100_000 });
  db.run("insert into items (data) values (randomblob(200000))");
  expect(reader.read()).toEqual({ kind: "large", commits: 1 });
  add(db, "small");
  expect(reader.read()).toMatchObject({ kind: "pages", commits: 1 });
});

test("each page of a commit is contained once, in its last version", () => {
  using replication = new Replication();
  const { db, reader } = replication;
  db.transaction(() => {
    for (let row = 0; row < 500; row++) add(db, `item ${row % 7}`);
  });
  const read = reader.read();
  if (read.kind !== "pages") throw new Error(read.kind);
  expect(read.pages.numbers).toEqual([...new Set(read.pages.numbers)].toSorted((a, b) => a - b));
  expect(read.pages.content.length).toBe(read.pages.numbers.length * 4096);
});

test("damaged frames are never returned: a read ends before them", () => {
  using replication = new Replication();
  const { db, path } = replication;
  const random = new Random(7);
  add(db, "first");
  replication.apply();
  const log = `${path}-wal`;
  const start = statSync(log).size;
  add(db, "second");
  const intact = readFileSync(log);
  const expected = pagesOf(new WalReaderFrom(replication, intact.subarray(0, start)).readAfter(intact));
  for (let round = 0; round < 100; round++) {
    const damaged = Buffer.from(intact);
    const at = start + random.below(intact.length - start);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
    const read = new WalReaderFrom(replication, intact.subarray(0, start)).readAfter(damaged);
    expect(read.kind).toBe("none");
    const cut = intact.subarray(0, start + random.below(intact.length - start));
    expect(new WalReaderFrom(replication, intact.subarray(0, start)).readAfter(cut).kind).toBe("none");
  }
  expect(expected.numbers.length).toBeGreaterThan(0);
});

/** A reader of a log that tests write themselves. */
class WalReaderFrom {
  readonly #path: string;
  readonly #reader: WalReader;

  constructor({ path }: Replication, log: Uint8Array) {
    this.#path = `${path}.other`;
    writeFileSync(`${this.#path}-wal`, log);
    this.#reader = new WalReader(this.#path);
  }

  readAfter(log: Uint8Array): ReturnType<WalReader["read"]> {
    using reader = this.#reader;
    truncateSync(`${this.#path}-wal`);
    writeFileSync(`${this.#path}-wal`, log);
    return reader.read();
  }
}

function pagesOf(read: ReturnType<WalReader["read"]>): PageSet {
  if (read.kind !== "pages") throw new Error(read.kind);
  return read.pages;
}
