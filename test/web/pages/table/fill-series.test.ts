import { describe, expect, test } from "bun:test";
import type { CellValue } from "../../../../src/values/cell.ts";
import {
  fillValues,
  forcedSeries,
  seriesOf,
  steppedSeries,
  type FillType,
} from "../../../../src/web/pages/table/client/commands/fill-series.ts";

const day = (text: string): number => Date.parse(text) / 1000;
const fill = (given: readonly CellValue[], base: string, count = 3) =>
  fillValues(given, count, seriesOf(given, { base }));

describe("filling cells", () => {
  test.each([
    ["Int", [1, 2], [3, 4, 5]],
    ["Int", [10, 8], [6, 4, 2]],
    ["Numeric", [0.1, 0.2], [0.3, 0.4, 0.5]],
    ["Any", [5, 10, 15], [20, 25, 30]],
    // Without one step, and with one number only, they are copied.
    ["Int", [1, 2, 4], [1, 2, 4]],
    ["Int", [7], [7, 7, 7]],
    ["Int", [1, null], [1, null, 1]],
    ["Text", ["Item 9"], ["Item 10", "Item 11", "Item 12"]],
    ["Text", ["A007", "A009"], ["A011", "A013", "A015"]],
    ["Text", ["2", "1"], ["0", "0", "0"]],
    ["Text", ["A1", "B2"], ["A1", "B2", "A1"]],
    ["Text", ["Bell"], ["Bell", "Bell", "Bell"]],
    ["Text", [""], ["", "", ""]],
    ["Text", ["12345678901234567890"], ["12345678901234567891", "12345678901234567892", "12345678901234567893"]],
    ["Choice", ["Size 1"], ["Size 1", "Size 1", "Size 1"]],
    ["Ref", [1, 2], [1, 2, 1]],
    ["Bool", [true], [true, true, true]],
  ] as const)("of the type %s after %p", (base, given, expected) => {
    expect(fill(given, base)).toEqual([...expected]);
  });

  test.each([
    [["2024-02-28"], ["2024-02-29", "2024-03-01", "2024-03-02"]],
    [
      ["2026-01-01", "2026-01-08"],
      ["2026-01-15", "2026-01-22", "2026-01-29"],
    ],
    [
      ["2026-01-15", "2026-02-15", "2026-03-15"],
      ["2026-04-15", "2026-05-15", "2026-06-15"],
    ],
    [
      ["2023-02-28", "2024-02-28", "2025-02-28"],
      ["2026-02-28", "2027-02-28", "2028-02-28"],
    ],
    [
      ["2026-11-30", "2026-12-30"],
      ["2027-01-29", "2027-02-28", "2027-03-30"],
    ],
  ])("with dates after %p", (given, expected) => {
    expect(fill(given.map(day), "Date")).toEqual(expected.map(day));
  });

  test("keeps the time of day when clocks change", () => {
    const type: FillType = { base: "DateTime", zone: "Europe/Berlin" };
    const given = [day("2026-03-28T08:00:00Z")];
    expect(fillValues(given, 2, seriesOf(given, type))).toEqual([
      day("2026-03-29T07:00:00Z"),
      day("2026-03-30T07:00:00Z"),
    ]);
  });

  test("counts a single number up when it is asked to", () => {
    expect(fillValues([7], 2, forcedSeries([7], { base: "Int" }))).toEqual([8, 9]);
    expect(forcedSeries(["Bell"], { base: "Text" })).toBeNull();
    expect(forcedSeries([7], { base: "Ref" })).toBeNull();
  });

  test("takes a step", () => {
    const three = (start: CellValue, step: number, base: string) =>
      fillValues([start], 3, steppedSeries(start, step, { base }));
    expect(three(10, 2.5, "Numeric")).toEqual([12.5, 15, 17.5]);
    expect(three(day("2026-01-01"), 7, "Date")).toEqual(["2026-01-08", "2026-01-15", "2026-01-22"].map(day));
    expect(steppedSeries("a", 1, { base: "Text" })).toBeNull();
  });
});
