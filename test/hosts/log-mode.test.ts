/** Documents whose commits are reported with their pages, for a replicated log. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { readCommitCount } from "../../src/sqlite/wal/commit-count.ts";
import { isWalFile } from "../../src/doc/untrusted-file.ts";
import { grantOf } from "../doc/read/sample.ts";
import { bytes, failure } from "./hosted.ts";
import { Logged, RUNTIMES } from "./logged.ts";

const logBytes = (path: string): number => statSync(`${path}-wal`).size;

describe.each(RUNTIMES)("a document %s in log mode", (kind) => {
  test("is followed byte by byte by a copy that applies its commits", async () => {
    await using logged = new Logged(kind);
    const { runtime, uuid } = logged;
    await logged.make();
    for (let round = 0; round < 20; round++) await logged.add({ A: `text ${round}` });
    await Promise.all(Array.from({ length: 30 }, (_, n) => logged.add({ A: n })));
    const columns = [{ id: "Total", fields: { formula: "len($A)", isFormula: true } }];
    await runtime.call(grantOf(uuid), "columns.add", { table: "Table1", body: bytes({ columns }) });
    await runtime.call(grantOf(uuid), "document.flush", null);
    await logged.add({ A: "after a checkpoint" }, 500);
    await runtime.call(grantOf(uuid), "timing.start", null);
    await runtime.call(grantOf(uuid), "timing.stop", null);
    await runtime.whileClosed(uuid, () => undefined);
    const last = logged.commits.at(-1)?.count;
    expect(last).toEqual(readCommitCount(logged.path) ?? undefined);
    expect(logged.isFollowed()).toBe(true);
  });

  test("reports each commit once and before its answer, with numbers that rise by one", async () => {
    await using logged = new Logged(kind);
    await logged.make();
    await logged.add({ A: 1 });
    const first = logged.commits.at(-1)?.count.seq ?? 0;
    for (let n = 0; n < 10; n++) {
      const before = logged.commits.length;
      await logged.add({ A: n });
      expect(logged.commits.length).toBe(before + 1);
    }
    expect(logged.commits.slice(-10).map(({ count }) => count.seq)).toEqual(
      Array.from({ length: 10 }, (_, n) => first + n + 1),
    );
  });

  test("is in WAL mode with an empty log after it was closed", async () => {
    await using logged = new Logged(kind);
    await logged.make();
    await logged.add({ A: 1 });
    await logged.runtime.whileClosed(logged.uuid, () => undefined);
    expect(isWalFile(logged.path)).toBe(true);
    expect(logBytes(logged.path)).toBe(0);
    expect(logged.closed.at(-1)).toEqual({ count: readCommitCount(logged.path), isClean: true });
    // It can be used again.
    await logged.add({ A: 2 });
    await logged.runtime.whileClosed(logged.uuid, () => undefined);
    expect(logged.isFollowed()).toBe(true);
  });

  test("reports a commit of more than 8 MB of pages without them, and then continues", async () => {
    await using logged = new Logged(kind);
    await logged.make();
    await logged.add({ A: "x".repeat(5000) }, 3000);
    expect(logged.commits.at(-1)?.bytes).toBeNull();
    await logged.copyBase();
    await logged.add({ A: "small" });
    await logged.runtime.whileClosed(logged.uuid, () => undefined);
    expect(logged.isFollowed()).toBe(true);
  });

  test("moves a log that grows into the file, so that its size is limited", async () => {
    await using logged = new Logged(kind);
    await logged.make();
    for (let round = 0; round < 40; round++) await logged.add({ A: "y".repeat(4000) }, 150);
    expect(logBytes(logged.path)).toBeLessThan(8 * 1024 ** 2);
    await logged.runtime.whileClosed(logged.uuid, () => undefined);
    expect(logged.isFollowed()).toBe(true);
  });

  test("keeps its file unchanged while a base is made, and continues to read and write", async () => {
    await using logged = new Logged(kind);
    const { runtime, uuid } = logged;
    await logged.make();
    await logged.add({ A: 1 });
    const base = await runtime.beginBase(uuid);
    expect(base).toMatchObject({ path: logged.path, bytes: statSync(logged.path).size });
    const held = readFileSync(logged.path);
    for (let round = 0; round < 40; round++) await logged.add({ A: "z".repeat(4000) }, 50);
    await runtime.call(grantOf(uuid), "document.flush", null);
    expect(readFileSync(logged.path).equals(held)).toBe(true);
    expect((await runtime.call(grantOf(uuid), "history.states", {})).length).toBeGreaterThan(40);
    expect(await failure(runtime.beginBase(uuid))).toMatchObject({ code: "conflict" });
    expect(await runtime.endBase(uuid)).toBe(true);
    expect(await runtime.endBase(uuid)).toBe(false);
    await logged.add({ A: 2 });
    expect(readFileSync(logged.path).equals(held)).toBe(false);
  });

  test("abandons a base when it is closed to be replaced", async () => {
    await using logged = new Logged(kind);
    const { runtime, uuid } = logged;
    await logged.make();
    await runtime.beginBase(uuid);
    await logged.add({ A: 1 });
    await runtime.whileClosed(uuid, () => undefined);
    expect(logBytes(logged.path)).toBe(0);
    await logged.add({ A: 2 });
    expect(await runtime.endBase(uuid)).toBe(false);
  });

  test("opens a closed document for a base", async () => {
    await using logged = new Logged(kind);
    await logged.make();
    await logged.add({ A: 1 });
    await logged.runtime.whileClosed(logged.uuid, () => undefined);
    expect(await logged.copyBase()).toBe(true);
    expect(readCommitCount(logged.copy)).toEqual(readCommitCount(logged.path));
  });
});

test.each(RUNTIMES)("without log mode, documents %s report no commits and become single files", async (kind) => {
  await using logged = new Logged(kind, { isLogged: false });
  const { runtime, uuid, path } = logged;
  expect(String(await failure(logged.make()))).toContain("not in log mode");
  await logged.add({ A: 1 });
  await runtime.whileClosed(uuid, () => undefined);
  expect(logged.commits).toEqual([]);
  expect(isWalFile(path)).toBe(false);
  expect(existsSync(`${path}-wal`)).toBe(false);
});
