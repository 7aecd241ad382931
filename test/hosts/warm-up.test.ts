/** Threads that run what requests run before the first request. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { WorkerRuntime } from "../../src/hosts/threads/worker-runtime.ts";
import { temporaryGrant } from "../../src/services/access/guards.ts";
import { Logged, RUNTIMES } from "./logged.ts";

const GRANT = temporaryGrant("warm-up");

describe.each(RUNTIMES)("a warm-up %s", (kind) => {
  test("leaves no files, reports nothing, and documents work beside it and afterwards", async () => {
    await using logged = new Logged(kind);
    await logged.make();
    const closedBefore = logged.closed.length;
    const [added] = await Promise.all([logged.add({ A: "beside" }), logged.runtime.warmUp(GRANT, { threads: 2 })]);
    expect(added).toBeDefined();
    await logged.add({ A: "afterwards" });
    expect(logged.commits).toHaveLength(2);
    expect(logged.closed.slice(closedBefore)).toEqual([]);
    expect(logged.runtime.isOpen("warm-up")).toBe(false);
    expect(readdirSync(join(logged.folder, "docs"))).toEqual([logged.uuid]);
    const temporary = join(logged.folder, "tmp");
    expect(existsSync(temporary) ? readdirSync(temporary) : []).toEqual([]);
    expect(await logged.runtime.measure()).toMatchObject({ open: 1 });
  });
});

describe("threads", () => {
  test("are started up to the number, once; threads with documents are left alone", async () => {
    await using logged = new Logged("in worker threads");
    const { runtime } = logged;
    if (!(runtime instanceof WorkerRuntime)) throw new Error("no threads");
    await logged.make();
    await logged.add({ A: "one" });
    expect(runtime.workerCount).toBe(1);
    await runtime.warmUp(GRANT, { threads: 1 });
    expect(runtime.workerCount).toBe(1);
    expect(existsSync(join(logged.folder, "tmp"))).toBe(false);
    await runtime.warmUp(GRANT, { threads: 5 });
    // As many as are allowed.
    expect(runtime.workerCount).toBe(2);
    await logged.add({ A: "two" });
    expect(logged.commits).toHaveLength(2);
  });
});
