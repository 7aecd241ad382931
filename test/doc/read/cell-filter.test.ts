import { describe, expect, test } from "bun:test";
import { cellFilter, linkFilter } from "../../../src/doc/read/cell-filter.ts";
import type { CellValue } from "../../../src/values/cell.ts";

const NOW = Date.UTC(2024, 1, 29, 15, 30);
const day = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / 1000;
const passing = (spec: object, type: string, values: readonly CellValue[]): CellValue[] =>
  values.filter(cellFilter(JSON.stringify(spec), { type, timezone: "UTC", nowMs: NOW }).passes);

const FILTERS: [spec: object, type: string, values: CellValue[], passed: CellValue[]][] = [
  [{ included: ["a", null] }, "Text", ["a", "b", "", null], ["a", null]],
  [{ excluded: ["a"] }, "Text", ["a", "b", "", null], ["b", "", null]],
  [{ included: [] }, "Text", ["a", null], []],
  [{ excluded: [] }, "Text", ["a", null], ["a", null]],
  [{}, "Text", ["a"], ["a"]],
  [{ included: [1] }, "Any", [1, "1", true], [1]],
  [
    { included: ['["E","ValueError"]', '["L",1]'] },
    "Any",
    [["E", "ValueError"], ["L", 1], 1],
    [
      ["E", "ValueError"],
      ["L", 1],
    ],
  ],
  [{ included: [["L", 1]] }, "Any", [["L", 1], 1], [["L", 1]]],
  [{ included: ["x"] }, "ChoiceList", [["L", "x", "y"], ["L", "y"], null], [["L", "x", "y"]]],
  [{ excluded: ["x"] }, "ChoiceList", [["L", "x", "y"], ["L", "x"], null], [["L", "x", "y"], null]],
  [{ included: [""] }, "ChoiceList", [["L", "x"], ["L"], null], [["L"]]],
  [{ included: [null] }, "ChoiceList", [["L", "x"], ["L"], null], [null]],
  [{ included: [null] }, "RefList:T", [["L", 1], ["L"], null], [["L"], null]],
  [{ included: ["x"] }, "ChoiceList", ["x", "y"], ["x"]],
  [{ min: 2 }, "Text", ["a", 1, null], ["a", 1, null]],
  [{ min: 2 }, "Ref:T", [1, 3], [1, 3]],
  [{ min: 2 }, "Numeric", [1, 2, 3, null, "3"], [2, 3]],
  [{ min: 2, max: 2 }, "Numeric", [1, 2, 3], [2]],
  [{ max: 2 }, "Int", [-5, 2, 3], [-5, 2]],
];
test.each(FILTERS)("%j in %s passes of %j only %j", (spec, type, values, passed) => {
  expect(passing(spec, type, values)).toEqual(passed);
});

describe("relative bounds", () => {
  const step = (quantity: number, unit: string, endOf?: boolean) => [{ quantity, unit, ...(endOf && { endOf }) }];
  const BOUNDS: [bound: object[], at: number][] = [
    [step(0, "day"), day(2024, 2, 29)],
    [step(-1, "day"), day(2024, 2, 28)],
    [step(0, "week"), day(2024, 2, 25)],
    [step(0, "week", true), day(2024, 3, 2)],
    [step(-1, "month"), day(2024, 1, 1)],
    [step(0, "month", true), day(2024, 2, 29)],
    [step(11, "month"), day(2025, 1, 1)],
    [step(1, "year", true), day(2025, 12, 31)],
    [[...step(0, "month"), ...step(-1, "day")], day(2024, 1, 31)],
    [[], day(2024, 2, 29)],
  ];
  test.each(BOUNDS)("%j", (bound, at) => {
    const values = [at - 1, at, at + 1];
    expect(passing({ min: bound }, "Date", values)).toEqual([at, at + 1]);
    // The whole day counts.
    for (const type of ["Date", "DateTime:UTC"])
      expect(passing({ max: bound }, type, [at - 1, at + 86_399, at + 86_400])).toEqual([at - 1, at + 86_399]);
  });

  test("days are those of the column's zone, and today is that of the document", () => {
    const noon = day(2024, 3, 10) + 12 * 3600;
    const start = day(2024, 3, 10) + 5 * 3600;
    // A day of 23 hours.
    const end = start + 23 * 3600 - 1;
    const range = { min: noon, max: noon };
    expect(passing(range, "DateTime:America/New_York", [start - 1, start, end, end + 1])).toEqual([start, end]);
    const today = cellFilter(JSON.stringify({ min: step(0, "day") }), {
      type: "Date",
      timezone: "Pacific/Auckland",
      nowMs: NOW,
    });
    expect(today.passes(day(2024, 2, 29))).toBe(false);
    expect(today.passes(day(2024, 3, 1))).toBe(true);
  });

  test.each([["soon"], [[{ quantity: 1.5, unit: "day" }]], [[{ quantity: 1, unit: "eon" }]], [[null]], [{}]])(
    "rejects %j",
    (min) => expect(() => passing({ min }, "Date", [])).toThrow("bound"),
  );
});

test.each(["", "5", "null", "[", '{"included":{}}'])("rejects the filter %j", (spec) => {
  expect(() => cellFilter(spec, { type: "Text", timezone: "UTC", nowMs: NOW })).toThrow("filter");
});

test("links rows by values, by elements of lists, and by empty lists", () => {
  const values: CellValue[] = [1, ["L", 1, 2], ["L", 3], ["L"], null];
  const linked = (wanted: CellValue[], operation: unknown) => values.filter(linkFilter(wanted, operation).passes);
  expect(linked([1], "in")).toEqual([1]);
  expect(linked([["L", 3]], "in")).toEqual([["L", 3]]);
  expect(linked([2, 3], "intersects")).toEqual([
    ["L", 1, 2],
    ["L", 3],
  ]);
  expect(linked([], "empty")).toEqual([1, ["L"], null]);
  expect(() => linkFilter([], "near")).toThrow("near");
});
