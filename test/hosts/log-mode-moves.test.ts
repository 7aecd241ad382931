/** Documents in log mode that are opened, closed and moved between threads by the server itself. */
import { expect, test } from "bun:test";
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import { prepareForLog } from "../../src/doc/prepare-for-log.ts";
import { isWalFile } from "../../src/doc/untrusted-file.ts";
import { documentFile, documentFolder } from "../../src/hosts/files/document-files.ts";
import { OpenDocuments } from "../../src/hosts/open-documents.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { Database } from "../../src/sqlite/database.ts";
import { readCommitCount } from "../../src/sqlite/wal/commit-count.ts";
import type { LoggedCommit } from "../../src/sqlite/wal/commit-log.ts";
import { applyPageSet, decodePageSet } from "../../src/sqlite/wal/page-set.ts";
import { OldDocument } from "../doc/old-document.ts";
import { SECOND, TestClock } from "../helpers/clock.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { ENDLESS, hosted, LONG } from "./hosted.ts";

interface Pool {
  readonly documents: OpenDocuments;
  readonly clock: TestClock;
  readonly commits: LoggedCommit[];
  readonly closed: string[];
  /** Returns the path of the file of a new document. */
  add(): { uuid: string; path: string };
}

function pool(): Pool {
  const folder = tempFolder();
  const clock = new TestClock();
  const commits: LoggedCommit[] = [];
  const closed: string[] = [];
  const documents = new OpenDocuments({
    folder,
    clock,
    log: silentLog,
    durability: "normal",
    isLogged: true,
    maxOpen: 2,
    idleMs: 60 * SECOND,
    history: HISTORY_LIMITS,
    onCommitted: (_uuid, commit) => commits.push(commit),
    onClosed: (uuid) => closed.push(uuid),
  });
  const add = () => {
    const uuid = newUuid();
    mkdirSync(documentFolder(folder, uuid), { recursive: true });
    return { uuid, path: documentFile(folder, uuid) };
  };
  return { documents, clock, commits, closed, add };
}

test("a document whose file is held stays open when it is idle, and when many others are opened", () => {
  const { documents, clock, closed, add } = pool();
  const all = Array.from({ length: 5 }, add);
  for (const { path } of all) createDocumentFile(path);
  const [held = "", ...others] = all.map(({ uuid }) => uuid);
  expect(documents.hold(held)).not.toBeNull();
  for (const uuid of others) documents.get(uuid);
  clock.pass(61 * SECOND);
  documents.closeIdle();
  expect(closed).not.toContain(held);
  expect(documents.endHold(held)).toBe(true);
  documents.closeIdle();
  expect(closed).toContain(held);
  documents[Symbol.dispose]();
});

test("a file that another program changed while it was held is reported as changed", () => {
  const { documents, add } = pool();
  const { uuid, path } = add();
  createDocumentFile(path);
  expect(documents.hold(uuid)).not.toBeNull();
  documents.get(uuid).db.transaction(() => documents.get(uuid).db.run("update _grist_DocInfo set timezone = 'UTC'"));
  {
    using other = new Database(path);
    other.checkpoint("passive");
  }
  expect(documents.endHold(uuid)).toBe(false);
  documents[Symbol.dispose]();
});

test("a file that is upgraded when it is opened gets the next number, and needs a base", () => {
  const { documents, commits, add } = pool();
  const { uuid, path } = add();
  {
    using old = new OldDocument(path, { storage: 8, schema: 46 });
    old.table("T", [{ id: "A", type: "Text", sql: `TEXT DEFAULT ""` }], [{ A: "x" }]);
  }
  prepareForLog(path, { seq: 11 });
  const document = documents.get(uuid);
  expect(commits[0]).toMatchObject({ count: { seq: 12 }, bytes: null });
  expect(document.seenCommit?.seq).toBe(12 + commits.length - 1);
  documents.close(uuid);
  expect(isWalFile(path)).toBe(true);
  expect(existsSync(path.replace("document.grist", "former.grist"))).toBe(true);
  documents[Symbol.dispose]();
});

test("a document that moves between threads reports each commit once, with numbers that rise by one", async () => {
  const commits = new Map<string, LoggedCommit[]>();
  await using h = hosted({
    formulas: ENDLESS,
    isLogged: true,
    onCommitted: (uuid, commit) => void commits.set(uuid, [...(commits.get(uuid) ?? []), commit]),
  });
  const [busy, other] = [await h.make(), await h.make()];
  const base = await h.host.beginBase(other);
  const copy = `${h.folder}/copy.grist`;
  copyFileSync(base.path, copy);
  expect(await h.host.endBase(other)).toBe(true);
  commits.clear();
  await h.add(busy, { A: 1 });
  await h.add(other, { A: 2 });
  expect(h.host.workerCount).toBe(1);
  const long = h.setFormula(busy, LONG);
  for (let n = 0; n < 30; n++) await Promise.all([h.add(other, { A: n }), h.add(other, { A: -n })]);
  await long;
  expect(h.host.workerCount).toBe(2);
  await h.add(other, { A: 3 });
  await h.host.whileClosed(other, () => undefined);
  const reported = commits.get(other) ?? [];
  expect(reported.map(({ count }) => count.seq)).toEqual(reported.map((_, n) => base.count.seq + n + 1));
  expect(reported.at(-1)?.count).toEqual(readCommitCount(base.path) as never);
  const file = openSync(copy, "r+");
  for (const { bytes } of reported) if (bytes) applyPageSet(file, decodePageSet(bytes));
  closeSync(file);
  expect(readFileSync(copy).equals(readFileSync(base.path))).toBe(true);
});
