import { expect, test } from "bun:test";
import { PendingRows } from "../../../src/doc/formulas/pending-rows.ts";
import { RowSet } from "../../../src/doc/formulas/row-set.ts";
import { Random } from "../../helpers/random.ts";

test("a row set behaves like a Set, whether it is small or large", () => {
  const random = new Random(1);
  const rows = new RowSet();
  const expected = new Set<number>();
  for (let step = 0; step < 20_000; step++) {
    const row = random.below(10) === 0 ? random.below(2 ** 40) : random.below(5000);
    if (random.below(3) === 0) expect(rows.delete(row)).toBe(expected.delete(row));
    else {
      expect(rows.add(row)).toBe(!expected.has(row));
      expected.add(row);
    }
    expect(rows.has(row)).toBe(expected.has(row));
    if (step % 997 === 0) expect(rows.toSorted()).toEqual([...expected].toSorted((a, b) => a - b));
  }
  expect(rows.size).toBe(expected.size);
  expect([...rows]).toEqual(rows.toSorted());
  rows.clear();
  expect([rows.size, rows.toSorted()]).toEqual([0, []]);
});

test("rows that become pending again while all are computed remain pending", () => {
  const pending = new PendingRows();
  expect(pending.add("all")).toBe("all");
  expect(pending.add("all")).toEqual([]);
  for (const row of [1, 2, 3]) pending.done(row);
  expect(pending.add([2, 5])).toEqual([2]);
  expect(pending.rowsOf(() => [1, 2, 3, 4])).toEqual([2, 4]);
  pending.done(4);
  pending.endAll();
  expect([pending.isAll, pending.rowsOf(() => [])]).toEqual([false, [2]]);
  pending.done(2);
  expect(pending.isEmpty).toBe(true);
});

test("starting again with all rows is counted, because rows that were computed before are pending again", () => {
  const pending = new PendingRows();
  pending.add("all");
  pending.done(1);
  const before = pending.allCount;
  expect(pending.add("all")).toBe("all");
  expect(pending.allCount).toBe(before + 1);
  expect(pending.has(1)).toBe(true);
});
