import { describe, expect, test } from "bun:test";
import { CommitBatcher } from "../../src/hosts/commit-batcher.ts";

/** Records the batches in order, with a disk that takes the given number of milliseconds. */
function gathered(commitMs = 0): { lots: string[]; group: CommitBatcher<number> } {
  const lots: string[] = [];
  const group = new CommitBatcher<number>((key, items) => {
    lots.push(`${key}:${items.join(",")}`);
    return commitMs;
  });
  return { lots, group };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(done: () => boolean): Promise<void> {
  while (!done()) await turn();
}

describe("concurrent items", () => {
  test("are committed in one batch per key, in order", async () => {
    const { lots, group } = gathered();
    group.add("a", 1);
    group.add("b", 2);
    group.add("a", 3);
    expect(lots).toEqual([]);
    await until(() => lots.length === 2);
    group.add("a", 4);
    await until(() => lots.length === 3);
    expect(lots).toEqual(["a:1,3", "b:2", "a:4"]);
  });

  test("are committed by flush immediately, and not twice", async () => {
    const { lots, group } = gathered();
    group.add("a", 1);
    group.flush("a");
    group.flush("a");
    group.add("b", 2);
    group.flushAll();
    await turn();
    await turn();
    expect(lots).toEqual(["a:1", "b:2"]);
  });

  test("wait on a slow disk for the writers of the previous batch, up to a limit", async () => {
    const { lots, group } = gathered(8);
    for (const item of [1, 2, 3]) group.add("a", item);
    await until(() => lots.length === 1);
    await Bun.sleep(1);
    group.add("a", 4);
    await turn();
    await turn();
    group.add("a", 5);
    await turn();
    expect(lots).toEqual(["a:1,2,3"]);
    group.add("a", 6);
    expect(lots).toEqual(["a:1,2,3", "a:4,5,6"]);
    group.add("a", 7);
    await until(() => lots.length === 3);
    expect(lots[2]).toBe("a:7");
  });

  test("do not wait on a slow disk when there is only one writer", async () => {
    const { lots, group } = gathered(1000);
    for (let item = 0; item < 5; item++) {
      group.add("a", item);
      await until(() => lots.length === item + 1);
      await Bun.sleep(1);
    }
    expect(lots).toHaveLength(5);
  });

  test("are not evicted while they are pending", async () => {
    const { lots, group } = gathered();
    group.add("a", 1);
    group.evict("a");
    await until(() => lots.length === 1);
    group.evict("a");
    group.add("a", 2);
    await until(() => lots.length === 2);
    expect(lots).toEqual(["a:1", "a:2"]);
  });
});
