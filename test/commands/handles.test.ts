import { expect, test } from "bun:test";
import { areHandlesScarce, handleLimit } from "../../src/commands/handles.ts";

test("handles are scarce when nearly all of them are in use", () => {
  expect(handleLimit()).toBeGreaterThan(100);
  expect(areHandlesScarce(1_000_000)).toBe(false);
  expect(areHandlesScarce(Number.POSITIVE_INFINITY)).toBe(false);
  // There are at least the three that every program has.
  expect(areHandlesScarce(4)).toBe(true);
});
