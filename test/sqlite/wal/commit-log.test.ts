/** Commits that a connection reports with their pages. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { OpenDocument } from "../../../src/doc/document.ts";
import { createDocumentFile } from "../../../src/doc/create-document.ts";
import type { LoggedCommit } from "../../../src/sqlite/wal/commit-log.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

function opened(): { document: OpenDocument; path: string; commits: LoggedCommit[] } {
  const path = join(tempFolder(), "a.grist");
  createDocumentFile(path);
  const commits: LoggedCommit[] = [];
  const document = new OpenDocument(path, { durability: "normal", onCommit: (commit) => commits.push(commit) });
  document.counter.ensureStored();
  commits.length = 0;
  return { document, path, commits };
}

test("a statement outside of a transaction advances the counter in its own commit", () => {
  const { document, commits } = opened();
  const { seq } = document.seenCommit ?? { seq: 0 };
  document.db.run("insert into Table1 (id) values (1)");
  expect(document.db.get("update Table1 set manualSort = 1 returning id")).toEqual({ id: 1 });
  expect(commits.map(({ count, bytes }) => [count.seq, bytes !== null])).toEqual([
    [seq + 1, true],
    [seq + 2, true],
  ]);
  document.close();
});

test("a transaction that only creates or drops tables advances the counter", () => {
  const { document, commits } = opened();
  document.db.transaction(() => document.db.exec("create table _quern_test (a)"));
  document.db.transaction(() => document.db.exec("drop table _quern_test"));
  document.db.transaction(() => document.db.get("select 1"));
  expect(commits.map(({ bytes }) => bytes !== null)).toEqual([true, true]);
  document.close();
});

test("a write that nothing counts gets a number before the log is moved into the file, and needs a base", () => {
  const { document, commits } = opened();
  const { seq } = document.seenCommit ?? { seq: 0 };
  document.db.exec("pragma application_id = 77");
  expect(document.checkpoint("passive")).toBe(true);
  expect(commits).toMatchObject([{ count: { seq: seq + 1 }, bytes: null }]);
  document.close();
});

test("a log that another program emptied needs a base, and the commit is not lost", () => {
  const { document, path, commits } = opened();
  document.db.run("insert into Table1 (id) values (3)");
  commits.length = 0;
  {
    using other = new Database(path);
    other.checkpoint("truncate");
  }
  document.db.run("insert into Table1 (id) values (1)");
  document.db.run("insert into Table1 (id) values (2)");
  expect(commits.map(({ bytes }) => bytes !== null)).toEqual([false, true]);
  expect(document.db.values("select count(*) from Table1")).toEqual([[3]]);
  document.close();
});
