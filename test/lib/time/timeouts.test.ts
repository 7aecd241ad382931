import { expect, test } from "bun:test";
import { reportCallbackErrors } from "../../../src/lib/callbacks.ts";
import { TimeoutScheduler } from "../../../src/lib/time/timeouts.ts";
import { TestTimers } from "../../helpers/clock.ts";

function made(): {
  timers: TestTimers;
  expiries: TimeoutScheduler;
  over: string[];
  after: (name: string, ms: number) => void;
} {
  const timers = new TestTimers();
  const expiries = new TimeoutScheduler(timers.clock, timers);
  const over: string[] = [];
  return { timers, expiries, over, after: (name, ms) => void expiries.after(ms, () => over.push(name)) };
}

test("what is not done in time is told, once, and what is done is not", () => {
  const { timers, expiries, over, after } = made();
  after("short", 2000);
  after("long", 60_000);
  const done = expiries.after(2000, () => over.push("done"));
  timers.pass(1900);
  expect(over).toEqual([]);
  done.cancel();
  timers.pass(1100);
  expect(over).toEqual(["short"]);
  timers.pass(100_000);
  expect(over).toEqual(["short", "long"]);
});

test("a limit can be moved, and be without end for a while", () => {
  const { timers, expiries, over } = made();
  const limit = expiries.after(2000, () => over.push("over"));
  timers.pass(1500);
  expect(limit.remainingMs).toBe(500);
  limit.extend(Number.POSITIVE_INFINITY);
  timers.pass(1_000_000);
  expect(over).toEqual([]);
  limit.extend(3000);
  timers.pass(2500);
  expect(over).toEqual([]);
  timers.pass(1500);
  expect(over).toEqual(["over"]);
});

test("a limit holds within a tenth, also beside longer ones that are looked at less often", () => {
  const { timers, over, after } = made();
  after("long", 60_000);
  timers.pass(500);
  after("short", 2000);
  for (let ms = 0; ms < 1900; ms += 100) timers.pass(100);
  expect(over).toEqual([]);
  for (let ms = 1900; ms < 2200; ms += 100) timers.pass(100);
  expect(over).toEqual(["short"]);
});

test("a limit that fails does not keep others from ending", () => {
  const failures: unknown[] = [];
  reportCallbackErrors((error) => failures.push(error));
  const { timers, expiries, over, after } = made();
  expiries.after(1000, () => {
    throw new Error("boom");
  });
  after("next", 1000);
  timers.pass(1000);
  timers.pass(1000);
  expect([over, failures.length]).toEqual([["next"], 1]);
  reportCallbackErrors((error) => {
    throw error;
  });
});

test("time that somebody sets does not count", () => {
  const { timers, over, after } = made();
  after("a", 10_000);
  timers.clock.jump(3_600_000);
  timers.pass(5000);
  expect(over).toEqual([]);
  timers.clock.jump(-7_200_000);
  timers.pass(6000);
  expect(over).toEqual(["a"]);
});
