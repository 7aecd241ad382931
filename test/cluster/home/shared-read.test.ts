import { describe, expect, test } from "bun:test";
import { SharedRead } from "../../../src/cluster/home/shared-read.ts";

/** Reads that end when the test says so; each returns its number. */
function controlledReads() {
  const started: PromiseWithResolvers<number>[] = [];
  const reads = new SharedRead(() => {
    const read = Promise.withResolvers<number>();
    started.push(read);
    return read.promise;
  });
  return { reads, started, finish: (n: number) => started[n]?.resolve(n) };
}

describe("a shared read", () => {
  test("is begun by the first caller; callers that arrive during it share one that begins after they arrived", async () => {
    const { reads, started, finish } = controlledReads();
    const first = reads.read();
    const second = reads.read();
    const third = reads.read();
    expect(started).toHaveLength(1);
    finish(0);
    expect(await first).toBe(0);
    expect(started).toHaveLength(2);
    const fourth = reads.read();
    finish(1);
    expect(await Promise.all([second, third])).toEqual([1, 1]);
    finish(2);
    expect(await fourth).toBe(2);
    expect(started).toHaveLength(3);
  });

  test("that fails rejects all callers that share it, and the next one begins all the same", async () => {
    const { reads, started, finish } = controlledReads();
    const first = reads.read();
    const second = reads.read();
    started[0]?.reject(new Error("away"));
    expect(first).rejects.toThrow("away");
    await first.catch(() => {});
    finish(1);
    expect(await second).toBe(1);
  });
});
