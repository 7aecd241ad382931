/** The change counter in a document's file: from it come ETags and the keys of caches. */
import { describe, expect, test } from "bun:test";
import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { applyUserActions, type UserAction } from "../../src/doc/actions/apply-user-actions.ts";
import { copyDocumentFile } from "../../src/doc/copy-document.ts";
import { ChangeCounter, type CommitCounts } from "../../src/doc/change-counter.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { OpenDocument } from "../../src/doc/document.ts";
import { upgradeDocumentFile } from "../../src/doc/import-document.ts";
import { hasTable } from "../../src/doc/migrations/stored-tables.ts";
import { SYSTEM_USER } from "../../src/doc/user-info.ts";
import { Database } from "../../src/sqlite/database.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

function newFile(): string {
  const path = join(tempFolder(), "document.grist");
  createDocumentFile(path);
  return path;
}

const apply = (document: OpenDocument, ...actions: UserAction[]) =>
  applyUserActions(document, actions, { parse: false, user: SYSTEM_USER, nowMs: 0 });

const addRow = (document: OpenDocument, a: unknown = 1) => apply(document, ["AddRecord", "Table1", null, { A: a }]);

/** The counts in the file, read by another connection. */
function storedCounts(path: string): CommitCounts | null {
  using db = new Database(path, { readonly: true });
  const counter = new ChangeCounter(db);
  counter.refresh();
  return counter.counts;
}

const storedRow = ({ db }: OpenDocument) => db.get("select * from _quern_commit");

/** Copies a file as it is after a crash: while it is open, with its log. */
function crashedCopy(path: string): string {
  const copy = join(tempFolder(), "document.grist");
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  return copy;
}

describe("the change counter", () => {
  test("advances by one with each commit, in the transaction of the change", () => {
    using document = new OpenDocument(newFile());
    addRow(document);
    const first = document.counter.counts;
    expect(storedCounts(document.path)).toMatchObject({ epoch: first?.epoch, seq: first?.seq });
    addRow(document);
    expect(document.counter.counts).toMatchObject({ epoch: first?.epoch, seq: (first?.seq ?? 0) + 1 });
    expect(storedCounts(document.path)).toEqual(document.counter.counts);
  });

  test("writes no row for a commit of one change, which the history counts", () => {
    const path = newFile();
    const document = new OpenDocument(path);
    addRow(document);
    const row = storedRow(document);
    const { counts } = document.counter;
    for (let i = 0; i < 3; i++) addRow(document);
    expect(storedRow(document)).toEqual(row);
    expect(document.counter.counts?.seq).toBe((counts?.seq ?? 0) + 3);
    document.db.transaction(() => document.db.run("update Table1 set A = 5"));
    expect(document.counter.counts?.seq).toBe((counts?.seq ?? 0) + 4);
    expect(storedCounts(path)).toEqual(document.counter.counts);
    addRow(document);
    document.close();
    expect(storedCounts(path)).toEqual(document.counter.counts);
    using again = new OpenDocument(path);
    expect(storedRow(again)).toMatchObject({ seq: again.counter.counts?.seq });
  });

  test("gets a new epoch, with a higher number, when a file that was not closed cleanly is opened", () => {
    const path = newFile();
    using document = new OpenDocument(path);
    for (let i = 0; i < 3; i++) addRow(document);
    using crashed = new OpenDocument(crashedCopy(path));
    crashed.counter.ensureStored();
    const [before, after] = [document.counter.counts, crashed.counter.counts];
    expect(after?.epoch).not.toBe(before?.epoch ?? "");
    expect(after?.seq).toBeGreaterThan(before?.seq ?? Infinity);
    expect(storedCounts(crashed.path)).toEqual(after);
  });

  test("advances once for changes that share a transaction, whose versions differ nevertheless", () => {
    using document = new OpenDocument(newFile());
    const seq = document.counter.counts?.seq ?? 0;
    const versions = new Set([document.version]);
    document.db.transaction(() => {
      for (let i = 0; i < 3; i++) {
        addRow(document);
        versions.add(document.version);
      }
    });
    versions.add(document.version);
    expect(versions.size).toBe(5);
    expect(document.counter.counts?.seq).toBe(seq + 1);
  });

  test("stays with a transaction that changes nothing and with one that is rolled back", () => {
    using document = new OpenDocument(newFile());
    const { version } = document;
    document.db.transaction(() => undefined);
    expect(() =>
      document.db.transaction(() => {
        addRow(document);
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    expect(document.version).toBe(version);
    expect(storedCounts(document.path)).toEqual(document.counter.counts);
  });

  test("advances by a commit that reports an error after it took effect", () => {
    using document = new OpenDocument(newFile());
    const { counter, db } = document;
    const update = (value: number) => db.transaction(() => db.run("update Table1 set A = ?", value));
    addRow(document);
    const seq = counter.counts?.seq ?? 0;
    const onBegin = () => counter.onBegin();
    const beforeCommit = () => counter.beforeCommit();
    const failing = () => {
      throw new Error("disk I/O error");
    };
    db.setCommitHook({ onBegin, beforeCommit, onCommit: failing });
    expect(() => addRow(document)).toThrow("disk I/O error");
    expect(storedCounts(document.path)?.seq).toBe(seq + 1);
    db.setCommitHook(counter);
    update(7);
    expect(counter.counts?.seq).toBe(seq + 2);
    expect(storedCounts(document.path)).toEqual(counter.counts);
  });

  test("stays when the commit fails", () => {
    const path = newFile();
    using document = new OpenDocument(path);
    addRow(document);
    const { version } = document;
    const [epoch, seq] = version.split(".");
    renameSync(path, `${path}.moved`);
    expect(() => addRow(document)).toThrow("deleted or replaced");
    expect(document.version).toBe(version);
    renameSync(`${path}.moved`, path);
    addRow(document);
    expect(document.version).toBe(`${epoch}.${Number(seq) + 1}`);
  });

  test("gets a new epoch with the first commit after each opening, and keeps its epoch without a commit", () => {
    const path = newFile();
    const opened = new OpenDocument(path);
    addRow(opened);
    const { version } = opened;
    opened.close();
    using again = new OpenDocument(path);
    expect(again.version).toBe(version);
    addRow(again);
    expect(again.version.split(".")[0]).not.toBe(version.split(".")[0]);
  });

  test("never names two contents when an older file is restored and changed", () => {
    const path = newFile();
    const versions: string[] = [];
    const change = (count: number) => {
      using document = new OpenDocument(path);
      for (let i = 0; i < count; i++) {
        addRow(document, Math.random());
        versions.push(document.version);
      }
    };
    change(2);
    copyFileSync(path, `${path}.older`);
    change(3);
    copyFileSync(`${path}.older`, path);
    {
      using restored = new OpenDocument(path);
      expect(restored.version).toBe(versions[1] ?? "");
    }
    change(3);
    expect(new Set(versions).size).toBe(8);
  });

  test("gets its own epoch again after another connection has changed the document", () => {
    const path = newFile();
    using document = new OpenDocument(path);
    using other = new OpenDocument(path);
    addRow(document);
    const { version } = document;
    other.db.transaction(() => other.db.run("update Table1 set A = 5"));
    addRow(document);
    expect(storedCounts(path)).toEqual(document.counter.counts);
    expect(document.counter.counts?.epoch).toBe(document.counter.ownEpoch);
    expect(new Set([version, other.version, document.version]).size).toBe(3);
  });

  test("stays unknown when storing a valid one fails", () => {
    const path = newFile();
    using document = new OpenDocument(path);
    addRow(document);
    addRow(document);
    using crashed = new OpenDocument(crashedCopy(path));
    renameSync(crashed.path, `${crashed.path}.moved`);
    expect(() => crashed.counter.ensureStored()).toThrow("deleted or replaced");
    renameSync(`${crashed.path}.moved`, crashed.path);
    const rolledBack = () =>
      crashed.db.transaction(() => {
        throw new Error("rolled back");
      });
    expect(rolledBack).toThrow("rolled back");
    expect(crashed.counter.counts).toBeNull();
    crashed.counter.ensureStored();
    expect(crashed.counter.counts?.epoch).toBe(crashed.counter.ownEpoch);
  });

  test("records the last commit that changed metadata", () => {
    using document = new OpenDocument(newFile());
    const schema = () => document.counter.counts?.schema;
    const before = schema();
    addRow(document, 1);
    // The first value of an empty column determines its type.
    const typed = schema();
    expect(typed).not.toEqual(before);
    addRow(document, 2);
    expect(schema()).toEqual(typed);
    apply(document, ["AddColumn", "Table1", "D", { type: "Int" }]);
    expect(schema()).toEqual({ epoch: document.counter.counts?.epoch ?? "", seq: document.counter.counts?.seq ?? 0 });
    const added = schema();
    expect(() => apply(document, ["AddColumn", "Table1", "E", {}], ["RemoveRecord", "Nope", 1])).toThrow();
    addRow(document, 3);
    expect(schema()).toEqual(added);
  });
});

describe("the counter's table", () => {
  test("is left out of copies, and stored when a file without it is opened in the server", () => {
    const path = newFile();
    const copy = join(tempFolder(), "copy.grist");
    copyDocumentFile(path, copy, { asTemplate: false });
    {
      using db = new Database(copy, { readonly: true });
      expect(hasTable(db, "_quern_commit")).toBe(false);
    }
    using document = new OpenDocument(copy);
    expect(document.counter.counts).toBeNull();
    document.counter.ensureStored();
    const { version } = document;
    expect(storedCounts(copy)).toMatchObject({ epoch: version.split(".")[0], seq: 1 });
    document.counter.ensureStored();
    expect(document.version).toBe(version);
  });

  test("is created by the first commit where nothing stored it before", () => {
    const path = newFile();
    {
      using db = new Database(path);
      db.exec("drop table _quern_commit");
    }
    using document = new OpenDocument(path);
    addRow(document);
    expect(storedCounts(path)?.seq).toBe(1);
    expect(document.counter.counts?.seq).toBe(1);
  });

  test("is renewed when a version without the counter has changed the document", () => {
    const path = newFile();
    {
      using db = new Database(path);
      db.exec("insert into _gristsys_ActionHistory (id, actionHash, actionNum, body) values (2, 'h', 2, x'00')");
    }
    const before = storedCounts(path);
    using document = new OpenDocument(path);
    document.counter.ensureStored();
    expect(document.counter.counts?.epoch).not.toBe(before?.epoch ?? "");
    expect(storedCounts(path)).toEqual(document.counter.counts);
  });

  test("gets another epoch when the file is upgraded, which changes it", () => {
    const path = newFile();
    const before = storedCounts(path);
    {
      using db = new Database(path);
      db.exec("pragma user_version = 8");
    }
    expect(upgradeDocumentFile(path)).toBe(true);
    expect(storedCounts(path)?.epoch).not.toBe(before?.epoch ?? "");
  });
});
