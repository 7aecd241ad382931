import { expect, test } from "bun:test";
import { ColumnResults } from "../../../src/doc/formulas/column-results.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { Random } from "../../helpers/random.ts";

test("results are returned in the order of their rows, however they were computed", () => {
  const random = new Random(2);
  for (let round = 0; round < 200; round++) {
    const results = new ColumnResults();
    const expected = new Map<number, CellValue>();
    for (let step = 0; step < 60; step++) {
      const row = random.below(4) === 0 ? 1 + random.below(50) : step;
      if (random.below(8) === 0) {
        results.delete(row);
        expected.delete(row);
      } else {
        const cell = random.below(5) === 0 ? null : `${round}.${step}`;
        results.set(row, cell, row * 10);
        expected.set(row, cell);
      }
      expect([results.size, results.get(row)]).toEqual([expected.size, expected.get(row)]);
    }
    const sorted = [...expected].toSorted(([a], [b]) => a - b);
    const { rows, cells, stored } = results.take();
    expect([rows, cells]).toEqual([sorted.map(([row]) => row), sorted.map(([, cell]) => cell)]);
    for (const [at, value] of stored.entries()) expect([undefined, (rows[at] ?? 0) * 10]).toContain(value as never);
    expect(results.size).toBe(0);
  }
});

test("a result that is computed twice keeps the stored value of the first time", () => {
  const results = new ColumnResults();
  results.set(1, "a", "stored");
  results.set(1, "b");
  expect(results.take()).toEqual({ rows: [1], cells: ["b"], stored: ["stored"] });
});
