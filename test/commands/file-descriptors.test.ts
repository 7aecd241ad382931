import { expect, test } from "bun:test";
import { areFileDescriptorsScarce, maxFileDescriptors } from "../../src/commands/file-descriptors.ts";

test("reports scarce file descriptors close to the limit", () => {
  expect(maxFileDescriptors()).toBeGreaterThan(100);
  expect(areFileDescriptorsScarce(1_000_000)).toBe(false);
  expect(areFileDescriptorsScarce(Number.POSITIVE_INFINITY)).toBe(false);
  // At least stdin, stdout and stderr are open.
  expect(areFileDescriptorsScarce(4)).toBe(true);
});
