/** After-commit callbacks, SQL text in errors, and the slow query report. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { reportCallbackErrors } from "../../src/lib/callbacks.ts";
import { Database, type SlowQuery } from "../../src/sqlite/database.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

let db: Database;
const called: string[] = [];

beforeEach(() => {
  called.length = 0;
  db = new Database(":memory:", { create: true });
  db.exec("create table t (id integer primary key)");
});
afterEach(() => db.close());

describe("afterCommit calls", () => {
  test("callbacks in order, once each, when the outermost transaction has committed", () => {
    const first = () => void called.push(`first sees ${db.inTransaction}`);
    db.transaction(() => {
      db.afterCommit(first);
      db.transaction(() => db.afterCommit(first));
      db.afterCommit(() => called.push("second"));
      called.push("work");
    });
    expect(called).toEqual(["work", "first sees false", "second"]);
    db.transaction(() => undefined);
    expect(called).toHaveLength(3);
  });

  test("nothing that was registered in a savepoint or transaction that was rolled back", () => {
    const shared = () => void called.push("shared");
    const failing = () =>
      db.transaction(() => {
        db.afterCommit(shared);
        db.afterCommit(() => called.push("inner"));
        throw new Error("no");
      });
    db.transaction(() => {
      expect(failing).toThrow("no");
      db.afterCommit(() => called.push("outer"));
    });
    expect(called).toEqual(["outer"]);
    db.transaction(() => {
      db.afterCommit(shared);
      expect(failing).toThrow("no");
    });
    expect(called).toEqual(["outer", "shared"]);
    expect(failing).toThrow("no");
    db.transaction(() => undefined);
    expect(called).toEqual(["outer", "shared"]);
  });

  test("the next callback when one throws, and the transaction succeeds", () => {
    const reported: unknown[] = [];
    reportCallbackErrors((error) => reported.push(error));
    const result = db.transaction(() => {
      db.afterCommit(() => {
        throw new Error("listener");
      });
      db.afterCommit(() => called.push("next"));
      db.run("insert into t values (1)");
      return "committed";
    });
    expect(result).toBe("committed");
    expect(called).toEqual(["next"]);
    expect(reported.map(String)).toEqual(["Error: listener"]);
    reportCallbackErrors((error) => {
      throw error;
    });
  });

  test("nothing outside of a transaction, which is an error", () => {
    expect(() => db.afterCommit(() => undefined)).toThrow("afterCommit needs a transaction");
  });
});

test("errors of SQLite name the statement, shortened where it is long", () => {
  expect(() => db.get("select missing from t where id = ?", 1)).toThrow(/missing.*\[SQL: select missing from t/);
  expect(() => db.run("insert into t values (?)", "text")).toThrow("[SQL: insert into t values (?)]");
  expect(() => db.exec(`select missing ${" ".repeat(2000)}`)).toThrow(/\[SQL: select missing {486}…\]/);
});

test("slow statements are reported with their text and time; fast ones and other connections are not", () => {
  const queries: SlowQuery[] = [];
  const open = (ms: number) =>
    new Database(join(tempFolder(), "slow.sqlite"), {
      create: true,
      slowQueries: { ms, report: (query) => queries.push(query) },
    });
  const count = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) select count(*) from n";
  using watched = open(20);
  watched.get(count, 10);
  expect(queries).toEqual([]);
  watched.get(count, 2_000_000);
  expect(queries).toEqual([{ sql: count, ms: expect.any(Number) as number }]);
  expect(queries[0]?.ms).toBeGreaterThanOrEqual(20);
  using unwatched = open(0);
  unwatched.get(count, 2_000_000);
  expect(queries).toHaveLength(1);
});
