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

test("fires once after the timeout, and not after cancelling", () => {
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

test("a timeout can be restarted, and disabled for a while", () => {
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

test("a timeout fires within a tenth of its duration, also beside longer ones", () => {
  const { timers, over, after } = made();
  after("long", 60_000);
  timers.pass(500);
  after("short", 2000);
  for (let ms = 0; ms < 1900; ms += 100) timers.pass(100);
  expect(over).toEqual([]);
  for (let ms = 1900; ms < 2200; ms += 100) timers.pass(100);
  expect(over).toEqual(["short"]);
});

test("an exception does not keep other timeouts from firing", () => {
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

test("setting the clock has no effect", () => {
  const { timers, over, after } = made();
  after("a", 10_000);
  timers.clock.jump(3_600_000);
  timers.pass(5000);
  expect(over).toEqual([]);
  timers.clock.jump(-7_200_000);
  timers.pass(6000);
  expect(over).toEqual(["a"]);
});
