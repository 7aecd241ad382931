import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PastFiles, type PastFilesOptions } from "../../../src/hosts/past/past-files.ts";
import { expectPoll } from "../../helpers/expect-poll.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

/** A cache with the list of the files that it has written, and those on the disk. */
function cache(options: Partial<PastFilesOptions> = {}) {
  const folder = tempFolder();
  mkdirSync(join(folder, "tmp"));
  const files = new PastFiles({ folder, keepMs: 60_000, closeFile: async () => {}, ...options });
  const written: number[] = [];
  /** Uses a state; the file is written once `until` resolves. */
  const use = (n: number, work: () => Promise<unknown> = async () => n, uuid = "a", until?: Promise<unknown>) =>
    files.use(
      { uuid, state: { n, h: `hash ${n}` } },
      async (path) => {
        await until;
        written.push(n);
        writeFileSync(path, "");
      },
      work,
    );
  return { files, written, use, count: () => readdirSync(join(folder, "tmp")).length };
}

test("concurrent and later uses of a state share one file", async () => {
  const { use, written, count } = cache();
  await Promise.all([use(1), use(1), use(1)]);
  await use(1);
  expect([written, count()]).toEqual([[1], 1]);
});

test("the least recently used file of a document is deleted for a third one, those of others are not", async () => {
  const { use, written, count } = cache();
  for (const n of [1, 2, 1, 3, 1]) await use(n);
  await use(7, async () => {}, "b");
  expect([written, count()]).toEqual([[1, 2, 3, 7], 3]);
  await use(2);
  expect([written, count()]).toEqual([[1, 2, 3, 7, 2], 3]);
});

test("a file in use is deleted after its last use, unless it is used again", async () => {
  const { use, written, count } = cache();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const started = Promise.withResolvers<undefined>();
  const long = use(1, () => (started.resolve(undefined), promise));
  await started.promise;
  await use(2);
  await use(3);
  expect(count()).toBe(3);
  resolve(undefined);
  await long;
  expect([written, count()]).toEqual([[1, 2, 3], 2]);
});

test("the files of a document are written one after the other", async () => {
  const { use, written } = cache();
  const first = Promise.withResolvers<undefined>();
  const uses = [use(1, undefined, "a", first.promise), use(2), use(3, undefined, "b")];
  await uses[2];
  expect(written).toEqual([3]);
  first.resolve(undefined);
  await Promise.all(uses);
  expect(written).toEqual([3, 1, 2]);
});

test("after a failure, the waiting uses fail, and the next one writes the file again", async () => {
  const { use, written } = cache();
  const failed = Promise.reject(new Error("full"));
  const outcomes = await Promise.allSettled([use(1, undefined, "a", failed), use(1)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await use(1);
  expect(written).toEqual([1]);
});

test("unused files are deleted after some time, on request, and at the end", async () => {
  const short = cache({ keepMs: 1 });
  await short.use(1);
  await expectPoll(() => short.count()).toBe(0);
  const { files, use, count } = cache();
  await use(1);
  await use(2, async () => files.discardUnused());
  expect(count()).toBe(1);
  files.forget("b");
  expect(count()).toBe(1);
  files.close();
  expect(count()).toBe(0);
});

test("a file that readers still close is not written before", async () => {
  const closed = Promise.withResolvers<void>();
  const { files, use, written } = cache({ closeFile: () => closed.promise });
  await use(1);
  files.forget("a");
  const again = use(1);
  await use(2, undefined, "b");
  expect(written).toEqual([1, 2]);
  closed.resolve();
  await again;
  expect(written).toEqual([1, 2, 1]);
});
