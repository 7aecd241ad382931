import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLeftOver, temporaryName } from "../../src/lib/temporary-names.ts";
import { type TemporaryJob, TemporarySpace } from "../../src/lib/temporary-space.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

class LimitError extends Error {}

const createSpace = () =>
  new TemporarySpace({ folder: tempFolder(), maxBytes: 1000, limitError: () => new LimitError() });

const abortOf = ({ signal }: TemporaryJob) =>
  new Promise<unknown>((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));

test("files in subfolders count, and files that are gone do not", () => {
  const space = createSpace();
  expect(space.usedBytes()).toBe(0);
  mkdirSync(join(space.folder, "document-1"));
  writeFileSync(join(space.folder, "document-1/document.grist"), "x".repeat(300));
  writeFileSync(join(space.folder, "upload"), "x".repeat(40));
  expect(space.usedBytes()).toBe(340);
  {
    using unlisted = space.addUnlisted();
    expect(unlisted.resize(660)).toBe(true);
    expect(unlisted.resize(661)).toBe(false);
    expect(space.usedBytes()).toBe(1001);
  }
  expect(space.usedBytes()).toBe(340);
  const missing = new TemporarySpace({
    folder: join(space.folder, "none"),
    maxBytes: 1,
    limitError: () => new Error(),
  });
  expect(missing.usedBytes()).toBe(0);
});

test("unused files of a cache are deleted before a job is refused or aborted", async () => {
  const space = createSpace();
  const cached = join(space.folder, "past-1");
  const discarded: string[] = [];
  space.discardUnused = () => {
    discarded.push("asked");
    rmSync(cached, { force: true });
  };
  const fill = () => writeFileSync(cached, "x".repeat(600));
  fill();
  using job = space.startJob(401);
  expect([discarded.length, space.usedBytes()]).toEqual([1, 0]);
  fill();
  writeFileSync(join(space.folder, "upload"), "x".repeat(500));
  job.check();
  expect([discarded.length, space.usedBytes()]).toEqual([2, 500]);
  fill();
  const last = space.startJob(0);
  const aborted = abortOf(last);
  writeFileSync(join(space.folder, "upload"), "x".repeat(1001));
  expect(await aborted).toBeInstanceOf(LimitError);
  last[Symbol.dispose]();
});

test("a job that would exceed the limit does not start", () => {
  const space = createSpace();
  writeFileSync(join(space.folder, "upload"), "x".repeat(600));
  expect(() => space.startJob(401)).toThrow(LimitError);
  using job = space.startJob(400);
  expect(job.signal.aborted).toBe(false);
  job.check();
  appendFileSync(join(space.folder, "upload"), "x".repeat(401));
  expect(() => job.check()).toThrow(LimitError);
});

test("beyond the limit, the job that started last is aborted, then the one before", async () => {
  const space = createSpace();
  using first = space.startJob(0);
  using second = space.startJob(0);
  {
    using _ended = space.startJob(0);
  }
  const secondAbort = abortOf(second);
  writeFileSync(join(space.folder, "upload"), "x".repeat(1000));
  appendFileSync(join(space.folder, "upload"), "x");
  expect(await secondAbort).toBeInstanceOf(LimitError);
  expect(first.signal.aborted).toBe(false);
  expect(await abortOf(first)).toBeInstanceOf(LimitError);
});

test("a file is left over if its process is gone, or had the id of this one", () => {
  const name = temporaryName("upload");
  expect(name).toMatch(/^upload-\d+-[0-9a-f]{16}$/);
  expect(temporaryName("upload")).not.toBe(name);
  expect(isLeftOver(name)).toBe(true);
  expect(isLeftOver(`import-${process.ppid}-0123456789abcdef-1.rows`)).toBe(false);
  // Greater than any process id.
  expect(isLeftOver("document-99999999-0123456789abcdef")).toBe(true);
  expect(isLeftOver("upload-0b0e5ae6-2f5f-4b7f-9a53-1b3b9d0ad1c5")).toBe(false);
  expect(isLeftOver("backup-0123456789abcdef.zst")).toBe(false);
});
