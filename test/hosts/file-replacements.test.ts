/** Files that documents in log mode get other than by commits: new, copied, replaced and restored ones. */
import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { ChangeCount } from "../../src/doc/change-counter.ts";
import { isWalFile } from "../../src/doc/untrusted-file.ts";
import type { Documents } from "../../src/hosts/documents.ts";
import { createStoredDocuments } from "../../src/hosts/stored-documents.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { readCommitCount, recoverFile } from "../../src/sqlite/wal/commit-count.ts";
import { Database } from "../../src/sqlite/database.ts";
import { grantOf } from "../doc/read/sample.ts";
import { failure, pastReadsIn } from "./hosted.ts";
import { Logged, RUNTIMES } from "./logged.ts";

/** Documents whose replaced files are recorded as a replicated log would. */
class Replaced implements AsyncDisposable {
  readonly logged: Logged;
  readonly documents: Documents;
  readonly replaced: { uuid: string; count: ChangeCount; wasVisible: boolean }[] = [];
  isRefusing = false;
  nextSeq = 7;

  constructor(kind: (typeof RUNTIMES)[number]) {
    this.logged = new Logged(kind);
    const { folder, runtime } = this.logged;
    this.documents = createStoredDocuments({
      folder,
      clock: systemClock,
      log: silentLog,
      runtime,
      past: pastReadsIn(folder),
      replacements: {
        nextSeq: () => this.nextSeq,
        onFileReplaced: async (uuid, count) => {
          this.replaced.push({ uuid, count, wasVisible: existsSync(this.fileOf(uuid)) });
          if (this.isRefusing) throw new Error("the log is not available");
        },
      },
    });
  }

  fileOf(uuid: string): string {
    return join(this.logged.folder, "docs", uuid, "document.grist");
  }

  /** Checks that the last replacement was of the document, with the number and in WAL mode. */
  expectLast(uuid: string, seq: number): void {
    const last = this.replaced.at(-1);
    expect(last).toMatchObject({ uuid, wasVisible: true, count: { seq } });
    expect(readCommitCount(this.fileOf(uuid))).toEqual(last?.count ?? null);
    expect(isWalFile(this.fileOf(uuid))).toBe(true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.documents.close();
  }
}

describe.each(RUNTIMES)("a file of a document %s in log mode", (kind) => {
  test("is prepared and reported when the document is created, imported or copied", async () => {
    await using store = new Replaced(kind);
    const { documents } = store;
    const [created, imported, copied] = [newUuid(), newUuid(), newUuid()];
    await documents.create(created);
    store.expectLast(created, 7);
    const upload = join(store.logged.folder, "upload.grist");
    copyFileSync(store.fileOf(created), upload);
    await documents.importFile(imported, { path: upload, name: "upload.grist" });
    store.expectLast(imported, 7);
    await documents.copy(grantOf(created), copied, { asTemplate: false });
    store.expectLast(copied, 7);
  });

  test("is prepared and reported when the content is replaced, restored or reloaded", async () => {
    await using store = new Replaced(kind);
    const { documents, logged } = store;
    const other = newUuid();
    await documents.create(logged.uuid);
    await documents.create(other);
    await logged.add({ A: 1 });
    store.nextSeq = 21;
    await documents.replace(grantOf(logged.uuid), grantOf(other), {});
    store.expectLast(logged.uuid, 21);
    await logged.add({ A: 1 });
    expect(logged.commits.at(-1)?.count.seq).toBeGreaterThanOrEqual(22);
    const earlier = join(logged.folder, "earlier.grist");
    await documents.reload(grantOf(other));
    store.expectLast(other, 21);
    copyFileSync(store.fileOf(other), earlier);
    store.nextSeq = 40;
    await documents.restoreContent(grantOf(logged.uuid), earlier, {});
    store.expectLast(logged.uuid, 40);
  });

  test("is removed when it was new and could not be reported", async () => {
    await using store = new Replaced(kind);
    store.isRefusing = true;
    const uuid = newUuid();
    expect(String(await failure(store.documents.create(uuid)))).toContain("not available");
    expect(existsSync(store.fileOf(uuid))).toBe(false);
    store.isRefusing = false;
    await store.documents.create(uuid);
    expect(existsSync(store.fileOf(uuid))).toBe(true);
  });

  test("counts as not closed cleanly only while its log has commits", async () => {
    await using store = new Replaced(kind);
    const { documents, logged } = store;
    await documents.create(logged.uuid);
    await logged.add({ A: 1 });
    expect(documents.hasUncleanShutdown(logged.uuid)).toBe(true);
    await documents.reload(grantOf(logged.uuid));
    expect(documents.hasUncleanShutdown(logged.uuid)).toBe(false);
  });
});

test("a file that was left with commits in its log is recovered into one file", async () => {
  await using logged = new Logged("in process");
  await logged.make();
  await logged.add({ A: 1 });
  const left = `${logged.folder}/left.grist`;
  for (const suffix of ["", "-wal"]) copyFileSync(logged.path + suffix, left + suffix);
  const count = logged.commits.at(-1)?.count ?? null;
  expect(readCommitCount(left)).toEqual(count);
  expect(recoverFile(left)).toEqual(count);
  expect(existsSync(`${left}-wal`)).toBe(false);
  using db = new Database(left, { readonly: true });
  expect(db.values("select count(*) from Table1")).toEqual([[1]]);
});
