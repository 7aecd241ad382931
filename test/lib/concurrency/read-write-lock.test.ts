import { expect, test } from "bun:test";
import { ReadWriteLock, KeyedReadWriteLock } from "../../../src/lib/concurrency/read-write-lock.ts";

/** Work that ends on request, and a log of its steps. */
function controllableWork() {
  const events: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      events.push(`${name} begins`);
      ends.set(name, () => {
        events.push(`${name} ends`);
        resolve(name);
      });
    });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { events, work, end, settle };
}

test("shared work runs concurrently, exclusive work alone", async () => {
  const { events, work, end, settle } = controllableWork();
  const lock = new ReadWriteLock();
  const all = [
    lock.runShared(work("a")),
    lock.runShared(work("b")),
    lock.runExclusive(work("X")),
    lock.runShared(work("c")),
  ];
  await settle();
  expect(events).toEqual(["a begins", "b begins"]);
  await end("b");
  await end("a");
  expect(events.splice(2)).toEqual(["b ends", "a ends", "X begins"]);
  await end("X");
  await end("c");
  expect(events.splice(2)).toEqual(["X ends", "c begins", "c ends"]);
  expect(await Promise.all(all)).toEqual(["a", "b", "X", "c"]);
});

test("a failure does not block other work", async () => {
  const lock = new ReadWriteLock();
  const failing = () => Promise.reject(new Error("no"));
  const outcomes = [lock.runShared(failing), lock.runExclusive(failing), lock.runExclusive(() => Promise.resolve(1))];
  const settled = await Promise.allSettled([...outcomes, lock.runShared(() => Promise.resolve(2))]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"]);
});

test("keys do not block each other, and unused locks are released", async () => {
  const { events, work, end, settle } = controllableWork();
  const lock = new KeyedReadWriteLock();
  const all = [
    lock.runExclusive("one", work("a")),
    lock.runExclusive("one", work("b")),
    lock.runExclusive("two", work("c")),
  ];
  await settle();
  expect(events).toEqual(["a begins", "c begins"]);
  expect(lock.size).toBe(2);
  for (const name of ["a", "b", "c"]) await end(name);
  await Promise.all(all);
  expect(lock.size).toBe(0);
});
