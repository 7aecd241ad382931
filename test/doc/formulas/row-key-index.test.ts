import { expect, test } from "bun:test";
import { RowIntegers, RowKeyIndex } from "../../../src/doc/formulas/lookups/row-key-index.ts";

test("a million rows take less than 40 bytes each", () => {
  const index = new RowKeyIndex();
  for (let row = 1; row <= 1_000_000; row++) index.add(row, 1 + (row % 5000));
  expect(index.bytes).toBeLessThan(40_000_000);
});

test("integers are kept for row ids of any size", () => {
  const integers = new RowIntegers();
  for (const row of [1, 4096, 2 ** 40]) integers.set(row, row % 1000);
  expect([1, 2, 4096, 2 ** 40].map((row) => integers.get(row))).toEqual([1, 0, 96, 776]);
});
