import { expect, test } from "bun:test";
import { FairQueue } from "../../src/sql/fair-queue.ts";

const queue = (limits: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) =>
  new FairQueue<string>({ maxPerKey: 3, maxTotal: 5, maxRunningPerKey: 1, ...limits });

function takeAll(from: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let next = from.dequeue(); next; next = from.dequeue()) {
    taken.push(next.item);
    from.done(next.key);
  }
  return taken;
}

test("keys are served round-robin, each in its own order", () => {
  const waiting = queue();
  for (const item of ["a1", "a2", "a3", "b1", "c1"]) expect(waiting.push(item.slice(0, 1), item)).toBe("queued");
  expect(waiting.size).toBe(5);
  expect(takeAll(waiting)).toEqual(["a1", "b1", "c1", "a2", "a3"]);
  expect(waiting.size).toBe(0);
});

test("the queue is bounded per key and in total", () => {
  const waiting = queue();
  for (const item of ["a1", "a2", "a3"]) waiting.push("a", item);
  expect(waiting.push("a", "a4")).toBe("keyFull");
  waiting.push("b", "b1");
  waiting.push("b", "b2");
  expect(waiting.push("c", "c1")).toBe("full");
  expect(waiting.clear().toSorted()).toEqual(["a1", "a2", "a3", "b1", "b2"]);
  expect(waiting.size).toBe(0);
  expect(waiting.push("a", "a4")).toBe("queued");
});

test("the number of running items per key is bounded", () => {
  const waiting = queue({ maxRunningPerKey: 2 });
  for (const item of ["a1", "a2", "a3"]) waiting.push("a", item);
  waiting.push("b", "b1");
  expect([waiting.dequeue(), waiting.dequeue(), waiting.dequeue(), waiting.dequeue()].map((one) => one?.item)).toEqual([
    "a1",
    "b1",
    "a2",
    undefined,
  ]);
  waiting.done("a");
  expect(waiting.dequeue()?.item).toBe("a3");
});

test("a queued item can be removed once", () => {
  const waiting = queue();
  for (const item of ["a1", "a2"]) waiting.push("a", item);
  waiting.push("b", "b1");
  expect(waiting.remove("a", "a1")).toBe(true);
  expect(waiting.remove("a", "a1")).toBe(false);
  expect(waiting.remove("c", "c1")).toBe(false);
  expect(waiting.size).toBe(2);
  expect(waiting.dequeue()).toEqual({ key: "a", item: "a2" });
  expect(waiting.remove("a", "a2")).toBe(false);
  expect(waiting.size).toBe(1);
});

test("more items of a key are available only while no other key waits, and return to its front", () => {
  const waiting = queue();
  for (const item of ["a1", "a2", "a3"]) waiting.push("a", item);
  expect(waiting.dequeue()).toEqual({ key: "a", item: "a1" });
  expect(waiting.dequeueMore("b")).toBeUndefined();
  expect(waiting.dequeueMore("a")).toBe("a2");
  waiting.push("b", "b1");
  expect(waiting.dequeueMore("a")).toBeUndefined();
  waiting.putBack("a", "a2");
  expect(waiting.size).toBe(3);
  waiting.done("a");
  expect(takeAll(waiting)).toEqual(["a2", "b1", "a3"]);
  expect(waiting.dequeueMore("a")).toBeUndefined();
});
