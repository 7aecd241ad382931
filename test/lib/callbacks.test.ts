import { afterEach, expect, test } from "bun:test";
import { guarded, reportCallbackErrors } from "../../src/lib/callbacks.ts";
import { DelayedWriter } from "../../src/lib/concurrency/delayed-writer.ts";
import { runEvery, yieldToEventLoop, runSoon, systemTimers, referencedTimers } from "../../src/lib/time/timers.ts";
import { TestTimers } from "../helpers/clock.ts";

afterEach(() =>
  reportCallbackErrors((error) => {
    throw error;
  }),
);

/** Collects reported failures in a list. */
function reported(): unknown[] {
  const errors: unknown[] = [];
  reportCallbackErrors((error) => errors.push(String(error)));
  return errors;
}

const fail = (): never => {
  throw new Error("boom");
};

test("reports exceptions and rejections of guarded callbacks instead of throwing them", async () => {
  const errors = reported();
  guarded(fail)();
  guarded(async () => fail())();
  await yieldToEventLoop();
  expect(errors).toEqual(["Error: boom", "Error: boom"]);
  const own: unknown[] = [];
  guarded(fail, (error) => own.push(String(error)))();
  expect([own.length, errors.length]).toEqual([1, 2]);
});

test("rethrows by default, so that tests fail", () => {
  expect(guarded(fail)).toThrow("boom");
});

test("timers, intervals and immediates report exceptions, and intervals continue", async () => {
  const errors = reported();
  const { promise, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  runSoon(fail);
  systemTimers.after(0, fail);
  referencedTimers.after(0, fail);
  const stop = runEvery(1, () => {
    if (++runs === 3) resolve();
    fail();
  });
  await promise;
  stop();
  await yieldToEventLoop();
  expect(errors).toHaveLength(6);
});

test("a failed delayed write is retried together with later data, until it succeeds", async () => {
  const timers = new TestTimers();
  const buffered = ["a"];
  const written: string[] = [];
  const errors: unknown[] = [];
  let isBroken = true;
  const write = () => {
    if (isBroken) fail();
    written.push(...buffered.splice(0));
  };
  const writing = new DelayedWriter({ timers, delayMs: 1000, write, onError: (error) => errors.push(error) });
  writing.schedule();
  timers.pass(1000);
  buffered.push("b");
  writing.schedule();
  timers.pass(1000);
  expect([written.length, errors.length]).toEqual([0, 2]);
  isBroken = false;
  timers.pass(1000);
  expect(written).toEqual(["a", "b"]);
  timers.pass(5000);
  expect(errors).toHaveLength(2);
});

test("the final delayed write makes several attempts", async () => {
  let failures = 3;
  const write = () => {
    if (failures-- > 0) fail();
  };
  const errors: unknown[] = [];
  await new DelayedWriter({
    timers: new TestTimers(),
    delayMs: 1,
    write,
    onError: (error) => errors.push(error),
  }).close();
  expect([errors.length, failures]).toEqual([3, -1]);
});
