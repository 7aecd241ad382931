import { describe, expect, test } from "bun:test";
import { formatBoxLayout, leavesOf, parseBoxLayout } from "../../../../src/web/base/views/box-layout.ts";

const LEAVES = [1, 2, 3];

describe("layouts of pages and cards", () => {
  test("a stored layout is read and written without a change", () => {
    const text = '{"children":[{"leaf":1,"size":40},{"children":[{"leaf":2},{"leaf":3,"size":250}]}]}';
    expect(formatBoxLayout(parseBoxLayout(text, LEAVES))).toBe(text);
  });

  test("folded sections stay folded", () => {
    const text = '{"children":[{"leaf":1}],"collapsed":[{"leaf":3},{"leaf":2}]}';
    const layout = parseBoxLayout(text, LEAVES);
    expect(layout.collapsed).toEqual([3, 2]);
    expect(formatBoxLayout(layout)).toBe(text);
  });

  const CASES: [name: string, text: string, rows: number[][]][] = [
    ["without a layout, two sections are side by side", "", [[1, 2], [3]]],
    [
      "a section that is missing is added beside a single last one",
      '{"children":[{"leaf":1},{"leaf":2}]}',
      [[1], [2, 3]],
    ],
    ["or in a new row", '{"children":[{"children":[{"leaf":1},{"leaf":2}]}]}', [[1, 2], [3]]],
    ["sections of other pages are left out", '{"children":[{"leaf":9},{"leaf":3}]}', [[3, 1], [2]]],
    [
      "a section that occurs twice has its first place",
      '{"children":[{"leaf":3},{"leaf":3},{"leaf":1}]}',
      [[3], [1, 2]],
    ],
    ["text that is no JSON counts as none", "{", [[1, 2], [3]]],
    ["a list counts as none", "[1]", [[1, 2], [3]]],
    ["boxes of other types are left out", '{"children":[null,7,"x",{"children":{}},{"leaf":"2"}]}', [[2, 1], [3]]],
  ];
  test.each(CASES)("%s", (_, text, rows) => {
    expect((parseBoxLayout(text, LEAVES).root.children ?? []).map(leavesOf)).toEqual(rows);
  });

  test("a layout of many levels ends", () => {
    const text = `${'{"children":['.repeat(2000)}{"leaf":1}${"]}".repeat(2000)}`;
    expect(leavesOf(parseBoxLayout(text, LEAVES).root)).toEqual(LEAVES);
  });
});
