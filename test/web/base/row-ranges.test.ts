import { describe, expect, test } from "bun:test";
import { countRows, hasRow, mergeRanges, withoutRow } from "../../../src/web/base/client/grid/row-ranges.ts";
import { Selection } from "../../../src/web/base/client/grid/selection.ts";

const range = (top: number, bottom = top) => ({ top, bottom });

describe("ranges of rows", () => {
  test("are merged where they overlap or touch", () => {
    expect(mergeRanges([range(5, 6), range(0, 1), range(2), range(6, 8)])).toEqual([range(0, 2), range(5, 8)]);
  });

  test("lose a row", () => {
    expect(withoutRow([range(0, 2), range(5)], 1)).toEqual([range(0), range(2), range(5)]);
    expect(withoutRow([range(0, 2), range(5)], 5)).toEqual([range(0, 2)]);
    expect(hasRow([range(0, 2)], 3)).toBe(false);
    expect(countRows([range(0, 2), range(5)])).toBe(4);
  });
});

describe("a selection of rows", () => {
  test("takes separate rows, and loses them", () => {
    const selection = new Selection();
    selection.toggleRow(1);
    selection.toggleRow(4);
    selection.selectRow(6, { extend: true });
    expect(selection.rowRanges).toEqual([range(1), range(4, 6)]);
    expect(selection.isScattered).toBe(true);
    selection.toggleRow(5);
    expect(selection.rowRanges).toEqual([range(1), range(4), range(6)]);
    for (const row of [1, 4, 6]) selection.toggleRow(row);
    expect(selection.isRows).toBe(false);
  });

  test("adds a row to the rows that were selected before another cell became active, and moves with its rows", () => {
    const selection = new Selection();
    selection.selectRows(range(2, 3));
    selection.move({ row: 7, column: 0 });
    selection.toggleRow(7);
    expect(selection.rowRanges).toEqual([range(2, 3), range(7)]);
    selection.shift(1, { rows: 20, columns: 2, blankRow: 20 });
    expect(selection.rowRanges).toEqual([range(3, 4), range(8)]);
    selection.select({ top: 0, bottom: 1, left: 0, right: 1 });
    expect(selection.isScattered).toBe(false);
  });

  test("stays in the blank row when rows are added before it", () => {
    const selection = new Selection();
    selection.move({ row: 5, column: 1 });
    selection.noteBlank(5);
    selection.shift(0, { rows: 9, columns: 2, blankRow: 8 });
    expect(selection.active).toEqual({ row: 8, column: 1 });
  });
});
