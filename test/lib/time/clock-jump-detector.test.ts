import { expect, test } from "bun:test";
import { ClockJumpDetector } from "../../../src/lib/time/clock-jump-detector.ts";
import { DAY, MINUTE, TestClock } from "../../helpers/clock.ts";

test("trusts a clock from the start, and after small adjustments", () => {
  const clock = new TestClock();
  const set = new ClockJumpDetector(clock);
  expect(set.isTrusted()).toBe(true);
  clock.pass(40 * DAY);
  expect(set.isTrusted()).toBe(true);
  clock.jump(-90 * MINUTE);
  expect(set.isTrusted()).toBe(true);
});

test("trusts a clock that was set by years after a stable day", () => {
  const clock = new TestClock();
  const set = new ClockJumpDetector(clock);
  clock.jump(3650 * DAY);
  expect(set.isTrusted()).toBe(false);
  clock.pass(DAY - MINUTE);
  expect(set.isTrusted()).toBe(false);
  clock.pass(MINUTE);
  expect(set.isTrusted()).toBe(true);
  clock.jump(-3650 * DAY);
  expect(set.isTrusted()).toBe(false);
});
