import { describe, expect, test } from "bun:test";
import { ColumnLayout } from "../../../src/web/base/client/grid/column-layout.ts";
import { fitFrozen } from "../../../src/web/base/client/grid/frozen-columns.ts";
import { RowLayout } from "../../../src/web/base/client/grid/row-layout.ts";

const rows = (count: number): RowLayout => Object.assign(new RowLayout(34), { count, viewport: 680 });

describe("rows", () => {
  test("returns rows in view, whole or in part", () => {
    const space = rows(1000);
    expect(space.height).toBe(34_000);
    expect(space.visibleRows(0)).toEqual({ first: 0, last: 19 });
    expect(space.visibleRows(17)).toEqual({ first: 0, last: 20 });
    expect(space.visibleRows(space.height - 680)).toEqual({ first: 980, last: 999 });
    expect(rows(3).visibleRows(0)).toEqual({ first: 0, last: 2 });
    expect(rows(0).visibleRows(0)).toEqual({ first: 0, last: -1 });
  });

  test("scrolls no further than needed", () => {
    const space = rows(1000);
    expect(space.scrollTo(5, 0)).toBe(0);
    expect(space.scrollTo(20, 0)).toBe(34);
    expect(space.scrollTo(2, 340)).toBe(68);
    expect(space.scrollTopAfterShift(340, 3)).toBe(442);
  });

  test("keeps the last rows in place where scrolling goes on below them", () => {
    for (const count of [1000, 5_000_000]) {
      const space = rows(count);
      const end = space.height - 680;
      expect(space.visibleRows(end + 72)).toEqual(space.visibleRows(end));
      expect(space.topOf(count - 1, end + 72)).toBe(space.topOf(count - 1, end));
      expect(space.scrollTo(count - 1, end + 72)).toBe(end + 72);
    }
  });

  test("reaches all rows beyond the maximum element height, and keeps those in view in place", () => {
    const space = rows(5_000_000);
    expect(space.height).toBe(15_000_000);
    const end = space.height - 680;
    expect(space.visibleRows(end).last).toBe(4_999_999);
    expect(space.visibleRows(0).first).toBe(0);
    for (const row of [0, 1, 2_345_678, 4_999_999]) {
      const scrollTop = space.scrollTo(row, 7_000_000);
      const { first, last } = space.visibleRows(scrollTop);
      expect(row >= first && row <= last + 1).toBe(true);
      // Exact to the pixel within the viewport.
      const top = space.topOf(row, scrollTop) - scrollTop;
      expect(top).toBeGreaterThan(-1);
      expect(top).toBeLessThan(680 - 33);
    }
  });
});

test("returns columns in view, and the scroll position for one", () => {
  const space = new ColumnLayout([100, 50, 200, 80]);
  expect([space.count, space.width, space.leftOf(2), space.widthOf(2)]).toEqual([4, 430, 150, 200]);
  expect(space.visibleColumns(0, 120)).toEqual({ first: 0, last: 1 });
  expect(space.visibleColumns(100, 120)).toEqual({ first: 1, last: 2 });
  expect(space.visibleColumns(149, 500)).toEqual({ first: 1, last: 3 });
  expect(space.scrollTo(3, 0, 200)).toBe(230);
  expect(space.scrollTo(0, 60, 200)).toBe(0);
  expect(space.scrollTo(1, 60, 200)).toBe(60);
});

test("leaves frozen columns in place, and scrolls others beside them", () => {
  const space = new ColumnLayout([100, 50, 200, 80, 300], 2);
  expect([space.frozenWidth, space.isFrozen(1), space.isFrozen(2)]).toEqual([150, true, false]);
  expect([space.shownLeft(1, 400), space.shownLeft(2, 400)]).toEqual([500, 150]);
  expect(space.visibleColumns(0, 300)).toEqual({ first: 2, last: 2 });
  expect(space.visibleColumns(200, 300)).toEqual({ first: 3, last: 4 });
  expect(space.renderedColumns(280, 300, 0)).toEqual([0, 1, 3, 4]);
  expect(space.renderedColumns(0, 160, 4)).toEqual([0, 1, 2, 3, 4]);
  // Frozen columns are always in view, and cover the first pixels of the view.
  expect(space.scrollTo(0, 280, 400)).toBe(280);
  expect(space.scrollTo(2, 280, 400)).toBe(0);
  expect(space.scrollTo(3, 280, 400)).toBe(200);
  expect(space.scrollTo(4, 0, 460)).toBe(270);
  expect(new ColumnLayout([], 2).renderedColumns(0, 500, 0)).toEqual([]);
});

test("freezes as many columns as leave room to scroll, and one on phones", () => {
  expect(fitFrozen([100, 200, 300], 2, 1000)).toEqual({ widths: [100, 200, 300], frozen: 2 });
  expect(fitFrozen([100, 200, 300], 2, 700)).toEqual({ widths: [100, 200, 300], frozen: 2 });
  expect(fitFrozen([300, 200, 300], 2, 700)).toEqual({ widths: [300, 200, 300], frozen: 1 });
  expect(fitFrozen([100, 200, 300], 2, 390)).toEqual({ widths: [100, 200, 300], frozen: 1 });
  expect(fitFrozen([250, 200, 300], 2, 390)).toEqual({ widths: [156, 200, 300], frozen: 1 });
  expect(fitFrozen([100, 200], 0, 1000)).toEqual({ widths: [100, 200], frozen: 0 });
  // The last column scrolls, or nothing would.
  expect(fitFrozen([100, 200], 5, 1000)).toEqual({ widths: [100, 200], frozen: 1 });
  expect(fitFrozen([100], 1, 1000)).toEqual({ widths: [100], frozen: 0 });
});
