/** What a query sees on a cached connection. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { CachedDocument, type PreparedQuery } from "../../src/sql/cached-document.ts";
import type { Argument } from "../../src/sql/query-job.ts";
import { runQuery } from "../../src/sql/run-query.ts";
import { type Answer, jobOf, type SampleFile, sampleFile, SECRET } from "./sample.ts";

let sample: SampleFile;
let kept: CachedDocument;
beforeEach(() => {
  sample = sampleFile();
  kept = new CachedDocument();
});
afterEach(() => {
  kept.close();
  sample.server.close();
});

function rows(statement: string, args: readonly Argument[] = []): unknown[] | "not open" {
  const pieces: string[] = [];
  const progress = { begin() {}, put: (piece: string) => pieces.push(piece) };
  if (!runQuery(jobOf(sample.path, statement, { args }), progress, kept)) return "not open";
  return (JSON.parse(pieces.join("")) as Answer).records.map(({ fields }) => fields);
}
/** The prepared statement; the same one as long as it is cached. */
function prepared(statement: string): PreparedQuery {
  const job = jobOf(sample.path, statement);
  expect(kept.open(job)).toBe(true);
  const query = kept.prepare(job);
  kept.endQuery();
  return query;
}
const COUNT = "select count(*) as n from People";

test("is reused between queries and keeps them prepared, up to a limit", () => {
  const first = prepared(COUNT);
  expect(prepared(COUNT) === first).toBe(true);
  for (let i = 0; i < 200; i++) rows(`select ${i}`);
  expect(prepared(COUNT) === first).toBe(true);
  for (let i = 0; i < 200; i++) rows(`select ${i}, 1`);
  expect(prepared(COUNT) === first).toBe(false);
});

test("a query begins as a repeated one only if its statement is prepared for the current tables", () => {
  const begun: boolean[] = [];
  const ask = (statement: string) =>
    runQuery(jobOf(sample.path, statement), { begin: ({ isRepeated }) => begun.push(isRepeated), put() {} }, kept);
  for (const statement of [COUNT, COUNT, "select 1", COUNT]) ask(statement);
  sample.server.run("create table Later (a)");
  ask(COUNT);
  expect(begun).toEqual([false, true, false, true, false]);
});

test("a prepared query does not keep the arguments of the query before", () => {
  const statement = "select ? as a, :b as b, ? as c";
  expect(rows(statement, ["x", "y", "z"])).toEqual([{ a: "x", b: "y", c: "z" }]);
  expect(rows(statement, [1])).toEqual([{ a: 1, b: null, c: null }]);
  expect(rows(statement, [])).toEqual([{ a: null, b: null, c: null }]);
  expect(() => rows(statement, [1, 2, 3, 4])).toThrow("takes 3 args, but 4 were given");
});

test("a prepared query is authorized whenever it runs", () => {
  const columns = "select name from pragma_table_info(?)";
  expect(rows(columns, ["Big"])).toEqual([{ name: "id" }, { name: "Text" }]);
  expect(rows(COUNT)).toEqual([{ n: 3 }]);
  expect(() => rows(columns, ["_quern_outbox"])).toThrow("The statement reads data that queries cannot access");
});

test("each query sees the data committed by then", () => {
  expect(rows(COUNT)).toEqual([{ n: 3 }]);
  sample.server.run("insert into People (Name) values ('Eve')");
  expect(rows(COUNT)).toEqual([{ n: 4 }]);
  sample.server.run("begin immediate");
  sample.server.run("delete from People");
  expect(rows(COUNT)).toEqual([{ n: 4 }]);
  sample.server.run("commit");
  expect(rows(COUNT)).toEqual([{ n: 0 }]);
});

test("each query sees the current tables and their rows", () => {
  expect(rows("select * from People where id = 1")).toEqual([{ id: 1, Name: "Ada", Age: 36, Tags: '["a","b"]' }]);
  sample.server.run("alter table People drop column Tags");
  sample.server.run("alter table Big rename to Large");
  sample.server.run("create table Later as select 7 as a");
  expect(rows("select * from People where id = 1")).toEqual([{ id: 1, Name: "Ada", Age: 36 }]);
  expect(rows("select * from Later")).toEqual([{ a: 7 }]);
  expect(rows("select count(*) as n from Large")).toEqual([{ n: 2000 }]);
  expect(() => rows("select * from Big")).toThrow("no such table: Big");
});

test("unreadable tables stay unreadable, including new and changed ones", () => {
  const refused = expect.objectContaining({ message: "The statement reads data that queries cannot access" });
  expect(rows(COUNT)).toEqual([{ n: 3 }]);
  expect(() => rows("select * from _quern_outbox")).toThrow(refused);
  rows(COUNT);
  sample.server.run("create table _quern_later as select 1 as a");
  sample.server.run("drop table Big");
  sample.server.run("create virtual table Big using fts5(a)");
  expect(() => rows("select * from _quern_later")).toThrow(refused);
  rows(COUNT);
  expect(() => rows("select * from Big")).toThrow(refused);
  rows(COUNT);
  expect(JSON.stringify(rows("select * from sqlite_master"))).not.toContain("quern");
  expect(() => rows(`select * from pragma_table_info('_quern_outbox')`)).toThrow(refused);
  expect(JSON.stringify(rows("select * from People"))).not.toContain(SECRET);
});

test("each prepared query has another name for the common table expression that reads the schema table", () => {
  const names = ["select 1", "select 2"].map((text) => {
    const { prelude } = prepared(text).restriction;
    return /^with (tables_[0-9a-f]{24}) /.exec(prelude)?.[1];
  });
  expect(names[0]).toBeString();
  expect(names[1]).toBeString();
  expect(names[0]).not.toBe(names[1]);
});

describe("another file at the path", () => {
  test("is opened", () => {
    rows(COUNT);
    const other = `${sample.path}.new`;
    using made = new Database(other, { create: true });
    made.run("create table People (id integer primary key, Name text)");
    made.close();
    sample.server.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(sample.path + suffix, { force: true });
    renameSync(other, sample.path);
    expect(rows(COUNT)).toBe("not open");
    using again = new Database(sample.path);
    again.run("pragma journal_mode = wal");
    again.run("insert into People values (1, 'New')");
    expect(rows("select Name from People")).toEqual([{ Name: "New" }]);
  });

  test("is reported as closed if it is missing", () => {
    rows(COUNT);
    rmSync(sample.path);
    expect(rows(COUNT)).toBe("not open");
  });
});

describe("between queries", () => {
  test("the server can checkpoint the log into the file", () => {
    rows("select * from Big");
    expect(() => rows("select abs(-9223372036854775807 - 1) from Big")).toThrow("integer overflow");
    rows("select * from Big");
    sample.server.run("update Big set Text = 'x'");
    expect(sample.server.query("pragma wal_checkpoint(truncate)").get()).toMatchObject({ busy: 0, log: 0 });
  });

  test("the server can close the document after release", () => {
    const close = () => sample.server.query("pragma journal_mode = delete").get();
    rows(COUNT);
    expect(close).toThrow("locked");
    kept.close();
    expect(close()).toEqual({ journal_mode: "delete" });
  });
});
