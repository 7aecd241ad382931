import { expect, test } from "bun:test";
import { areFileDescriptorsScarce, maxFileDescriptors } from "../../src/commands/file-descriptors.ts";

test("handles are scarce when nearly all of them are in use", () => {
  expect(maxFileDescriptors()).toBeGreaterThan(100);
  expect(areFileDescriptorsScarce(1_000_000)).toBe(false);
  expect(areFileDescriptorsScarce(Number.POSITIVE_INFINITY)).toBe(false);
  // There are at least the three that every program has.
  expect(areFileDescriptorsScarce(4)).toBe(true);
});
