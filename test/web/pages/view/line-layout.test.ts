import { describe, expect, test } from "bun:test";
import { LineLayout } from "../../../../src/web/pages/view/client/cards/line-layout.ts";

function layoutOf(count: number, heights: readonly number[] = []): LineLayout {
  const layout = new LineLayout(100);
  layout.viewport = 400;
  layout.count = count;
  layout.measure(new Map(heights.entries()));
  return layout;
}

describe("lines of cards", () => {
  test("lines that were not in view have the mean height of the first ones", () => {
    const layout = layoutOf(10, [200, 100]);
    expect(layout.offsetOf(2)).toBe(300);
    expect(layout.heightOf(5)).toBe(150);
    expect(layout.offsetOf(10)).toBe(1500);
    expect(layout.height).toBe(1500);
  });

  test("a line in view moves the following ones only", () => {
    const layout = layoutOf(10, [100]);
    expect(layout.measure(new Map([[4, 300]]))).toBe(true);
    expect(layout.measure(new Map([[4, 300]]))).toBe(false);
    expect([layout.offsetOf(4), layout.offsetOf(5)]).toEqual([400, 700]);
    expect([399, 400, 699, 700, 5000].map((offset) => layout.lineAt(offset))).toEqual([3, 4, 4, 5, 9]);
  });

  test("after another width, the mean of all lines is the estimate", () => {
    const layout = layoutOf(10, [100, 300]);
    layout.reset();
    expect(layout.offsetOf(10)).toBe(2000);
  });

  test("a line is scrolled into view as little as possible", () => {
    const layout = layoutOf(20, [100]);
    expect(layout.scrollTo(2, 0)).toBe(0);
    expect(layout.scrollTo(5, 0)).toBe(200);
    expect(layout.scrollTo(1, 500)).toBe(100);
    layout.measure(new Map([[5, 900]]));
    expect(layout.scrollTo(5, 0)).toBe(500);
    expect(layout.visibleLines(450)).toEqual({ first: 4, last: 5 });
  });

  test("a million lines are reached, although browsers limit the height of elements", () => {
    const layout = layoutOf(1_000_000, [240]);
    expect(layout.height).toBe(15_000_000);
    const end = layout.height - layout.viewport;
    expect(layout.visibleLines(end).last).toBe(999_999);
    const scrollTop = layout.scrollTo(700_000, 0);
    const { first, last } = layout.visibleLines(scrollTop);
    expect(first <= 700_000 && last >= 700_000).toBe(true);
    expect(layout.topOf(700_000, scrollTop) - scrollTop).toBeGreaterThanOrEqual(0);
    expect(layout.topOf(700_000, scrollTop) - scrollTop).toBeLessThanOrEqual(400);
  });

  test("an empty list has no height", () => {
    const layout = layoutOf(0);
    expect(layout.height).toBe(0);
    expect(layout.visibleLines(0)).toEqual({ first: 0, last: -1 });
  });
});
