import { expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { removeUnfinished } from "../../src/hosts/files/document-files.ts";
import { FileWorkerPool } from "../../src/hosts/threads/file-worker-pool.ts";
import { SharedJob } from "../../src/lib/concurrency/shared-job.ts";
import { createLog, silentLog } from "../../src/lib/observability/log.ts";
import { expectPoll } from "../helpers/expect-poll.ts";
import { tempFolder } from "../helpers/temp-folder.ts";
import { eventually } from "../helpers/server-process.ts";

const REFUSING = new URL("./refusing-worker.ts", import.meta.url);
const WRITING = new URL("./writing-worker.ts", import.meta.url);
const ENDLESS = new URL("./endless-worker.ts", import.meta.url);

test("jobs that time out are terminated, their partial files removed, and other jobs run", async () => {
  const folder = tempFolder();
  const lines: string[] = [];
  const log = createLog({ write: (text) => lines.push(text) });
  const threads = new FileWorkerPool({ log, jobTimeMs: 500, entry: ENDLESS });
  const stage = (name: string) =>
    threads.run({
      kind: "stage",
      choices: {},
      maxBytes: 0,
      from: { path: join(folder, name), name },
      to: join(folder, `import-${name}`),
    });
  // As many as run concurrently, and one that is queued.
  const endless = ["a", "b"].map((name) => stage(name).catch((error: unknown) => error));
  const waiting = stage("quick");
  const message = "The job took longer than 0.5 seconds (see QUERN_JOB_TIME_S); nothing was changed";
  for (const each of endless) expect(await each).toMatchObject({ code: "invalid", message });
  expect(await waiting).toEqual([]);
  await threads.close();
  log.flush();
  expect(lines.join("").match(/"event":"job.ended","kind":"stage","afterS":0.5/g)).toHaveLength(2);
  expect(await eventually(() => readdirSync(folder).length === 0)).toBe(true);
});

test("a cancelled job is rejected at once, also in the queue, and its files are removed", async () => {
  const folder = tempFolder();
  const threads = new FileWorkerPool({ log: silentLog, entry: ENDLESS });
  const stage = (name: string) => {
    const controller = new AbortController();
    const shared = new SharedJob();
    const job = {
      kind: "stage",
      choices: {},
      maxBytes: 0,
      from: { path: name, name },
      to: join(folder, name),
    } as const;
    const result = threads.run(job, { signal: controller.signal, shared }).catch((error: unknown) => error);
    return { result, cancel: () => controller.abort(new Error(`${name} cancelled`)) };
  };
  const [first, second, queued] = [stage("a"), stage("b"), stage("c")];
  await expectPoll(() => readdirSync(folder).toSorted()).toEqual(["a-1", "b-1"]);
  queued.cancel();
  expect(await queued.result).toEqual(new Error("c cancelled"));
  for (const [name, { cancel, result }] of [
    ["a", first],
    ["b", second],
  ] as const) {
    cancel();
    expect(await result).toEqual(new Error(`${name} cancelled`));
  }
  expect(await stage("quick").result).toEqual([]);
  await expectPoll(() => readdirSync(folder)).toEqual([]);
  await threads.close();
});

test("a worker is reused after rejecting a file, and replaced after any other error", async () => {
  const threads = new FileWorkerPool({ log: createLog({ write: () => undefined }), entry: REFUSING });
  const threadFor = async (name: string): Promise<string> => {
    const job = { kind: "stage", choices: {}, maxBytes: 0, from: { path: name, name }, to: name } as const;
    const error = await threads.run(job).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : "";
  };
  const first = await threadFor("refused");
  expect(await threadFor("refused")).toBe(first);
  expect(await threadFor("bug")).toBe(first);
  expect(await threadFor("refused")).not.toBe(first);
  await threads.close();
});

test("the end of a cancelled job can be awaited", async () => {
  const folder = tempFolder();
  const threads = new FileWorkerPool({ log: silentLog, entry: ENDLESS });
  const controller = new AbortController();
  const job = {
    kind: "stage",
    choices: {},
    maxBytes: 0,
    from: { path: "a", name: "a" },
    to: join(folder, "a"),
  } as const;
  const control = { signal: controller.signal, shared: new SharedJob() };
  const result = threads.run(job, control).catch((error: unknown) => error);
  await expectPoll(() => readdirSync(folder)).toEqual(["a-1"]);
  controller.abort(new Error("cancelled"));
  expect(await result).toEqual(new Error("cancelled"));
  await threads.ended();
  expect(readdirSync(folder)).toEqual([]);
  await threads.close();
});

test("a folder is removed, also when a job still writes there meanwhile", async () => {
  const parent = tempFolder();
  let stayedCount = 0;
  for (let round = 0; round < 20; round++) {
    const folder = join(parent, String(round));
    mkdirSync(folder);
    const thread = new Worker(WRITING, { workerData: { folder } });
    await expectPoll(() => readdirSync(folder).length).toBeGreaterThan(0);
    const ended = Promise.withResolvers<void>();
    removeUnfinished(folder, () => {
      stayedCount++;
      return ended.promise;
    });
    await thread.terminate();
    ended.resolve();
  }
  await expectPoll(() => readdirSync(parent)).toEqual([]);
  // Otherwise this has tested nothing.
  expect(stayedCount).toBeGreaterThan(0);
}, 60_000);
