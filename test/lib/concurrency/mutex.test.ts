import { expect, test } from "bun:test";
import { Mutex } from "../../../src/lib/concurrency/mutex.ts";

test("runs work serially, in order, also after a failure", async () => {
  const mutex = new Mutex(10);
  const events: string[] = [];
  const work = (name: string, fails = false) =>
    mutex.runExclusive(async () => {
      events.push(`${name} begins`);
      await Promise.resolve();
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([work("a"), work("b", true), work("c")]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(events).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("refuses work while the queue is full", async () => {
  const mutex = new Mutex(2);
  const gate = Promise.withResolvers<void>();
  const running = [mutex.runExclusive(() => gate.promise), mutex.runExclusive(async () => {})];
  expect(mutex.isFull).toBe(true);
  expect(mutex.runExclusive(async () => {})).rejects.toThrow("full");
  gate.resolve();
  await Promise.all(running);
  expect(mutex.isFull).toBe(false);
  expect(await mutex.runExclusive(async () => 1)).toBe(1);
});
