import { expect, test } from "bun:test";
import { Turns } from "../../src/lib/turns.ts";

test("runs one after the other, in order, also after a failure", async () => {
  const turns = new Turns(10);
  const events: string[] = [];
  const work = (name: string, fails = false) =>
    turns.run(async () => {
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

test("takes in no more than it may, and again when there is room", async () => {
  const turns = new Turns(2);
  const gate = Promise.withResolvers<void>();
  const running = [turns.run(() => gate.promise), turns.run(async () => {})];
  expect(turns.full).toBe(true);
  expect(turns.run(async () => {})).rejects.toThrow("too much");
  gate.resolve();
  await Promise.all(running);
  expect(turns.full).toBe(false);
  expect(await turns.run(async () => 1)).toBe(1);
});
