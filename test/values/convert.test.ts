import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import { isCellInput, type CellValue } from "../../src/values/cell.ts";
import { cellFromJson } from "../../src/values/normalize-coded.ts";
import { columnType } from "../../src/values/column-type.ts";

/** The conversion of each value, by type: it applies whether or not texts are parsed first. */
const TABLE: Record<string, [value: CellValue, kept: CellValue][]> = {
  Text: [
    [null, null],
    ["", ""],
    [" x ", " x "],
    [17, "17"],
    [-2.5, "-2.5"],
    [4_000_000_000, "4000000000"],
    [1e17, "1e+17"],
    [1 / 7, "0.142857142857143"],
    [true, "True"],
    [false, "False"],
    [["L"], "[]"],
    [["L", "it's", 3_000_000_000, null], '["it\'s", 3000000000.0, None]'],
    [["d", 1_717_245_000], "2024-06-01"],
    [["D", 1_717_245_000, "Europe/Oslo"], "2024-06-01 14:30:00+02:00"],
    [["O", { n: 1.5, t: "x" }], "{'n': 1.5, 't': 'x'}"],
    [["C"], "CENSORED"],
    [
      ["E", "NameError", "x"],
      ["E", "NameError", "x"],
    ],
    [["l", "wanted", { column: "Name" }], "wanted"],
  ],
  Numeric: [
    [null, null],
    ["", null],
    [" ", " "],
    [2.5, 2.5],
    [Infinity, Infinity],
    [true, 1],
    [false, 0],
    [" 3_0 ", 30],
    ["-1.5e1", -15],
    ["inf", Infinity],
    ["1,000", "1,000"],
    ["$3", "$3"],
    ["0x1F", "0x1F"],
    [["L"], "[]"],
    [["L", 1], "[1]"],
    [["d", 0], "1970-01-01"],
    [["O", {}], "{}"],
    [
      ["E", "ValueError"],
      ["E", "ValueError"],
    ],
  ],
  Int: [
    [null, null],
    ["", null],
    [3.99, 3],
    [-3.99, -3],
    [-0.2, 0],
    [true, 1],
    ["8.6", 8],
    ["-0.4", 0],
    ["1e2", 100],
    ["9876543210", "9876543210"],
    [9_876_543_210, "9876543210.0"],
    [2_147_483_647.9, 2_147_483_647],
    [-2_147_483_648.5, -2_147_483_648],
    [1e30, "1e+30"],
    [Infinity, "inf"],
    [NaN, "nan"],
    ["nan", "nan"],
    ["four", "four"],
    [["L", 2], "[2]"],
  ],
  Bool: [
    [null, false],
    ["", false],
    [0, false],
    [0.1, true],
    [-7, true],
    [NaN, true],
    ["YES", true],
    ["No", false],
    ["1", true],
    ["0", false],
    ["tRuE", true],
    ["False", false],
    [" yes", " yes"],
    ["1.0", "1.0"],
    ["on", "on"],
    [["L"], false],
    [["O", {}], false],
    [["L", false], "[False]"],
    [["d", 0], "1970-01-01"],
    [
      ["E", "ValueError"],
      ["E", "ValueError"],
    ],
  ],
  Date: [
    [null, null],
    ["", null],
    [0, 0],
    [1234.5, 1234.5],
    [true, 1],
    ["2023-07-09", 1_688_860_800],
    ["2023-7-9", 1_688_860_800],
    ["20230709", 1_688_860_800],
    ["2023-07", 1_688_169_600],
    ["2023", 1_672_531_200],
    ["2023-07-09 22:15", 1_688_860_800],
    ["2023-07-09T22:15:30.5-08:00", 1_688_860_800],
    ["0001-01-01", -62_135_596_800],
    ["0000-01-01", "0000-01-01"],
    ["2023-02-30", "2023-02-30"],
    ["202307", "202307"],
    ["2023-07-09 25:00", "2023-07-09 25:00"],
    ["2023-07-09 10:00 UTC", "2023-07-09 10:00 UTC"],
    [" 2023-07-09", " 2023-07-09"],
    ["9 July 2023", "9 July 2023"],
    ["1688860800", "1688860800"],
    [["d", 1_688_900_000], 1_688_860_800],
    [["d", -1], -86_400],
    [["D", 1_688_870_000, "America/Los_Angeles"], 1_688_774_400],
    [["L", 5], "[5]"],
  ],
  "DateTime:America/New_York": [
    [null, null],
    ["", null],
    [5.25, 5.25],
    [false, 0],
    ["2023-07-09", 1_688_875_200],
    ["2023-01-09", 1_673_240_400],
    ["2023-07-09 08:00", 1_688_904_000],
    ["2023-07-09T08", 1_688_904_000],
    ["20230709T080005", 1_688_904_005],
    ["2023-07-09T08:00:00.125Z", 1_688_889_600.125],
    ["2023-07-09T08:00:00,5+0530", 1_688_869_800.5],
    ["2023-07-09 08:00 -04:00", "2023-07-09 08:00 -04:00"],
    ["2023-07-09 8:00", "2023-07-09 8:00"],
    ["2025-03-09 02:15", 1_741_500_900],
    [["d", 1_688_900_000], 1_688_875_200],
    [["D", 99.5, "Asia/Tokyo"], 99.5],
    [["L"], "[]"],
  ],
  ChoiceList: [
    [null, null],
    ["", null],
    [0, null],
    [false, null],
    [7, "7"],
    [true, "True"],
    ["a, b", "a, b"],
    ['["a", 1, null, [2]]', ["L", "a", "1", "None", "[2]"]],
    ["[]", ["L"]],
    ["[a", "[a"],
    [["L"], null],
    [
      ["L", "a", 1.5, false, null, ["d", 0]],
      ["L", "a", "1.5", "False", "None", "1970-01-01"],
    ],
    [
      ["O", { k: 1, m: 2 }],
      ["L", "k", "m"],
    ],
    [["O", {}], null],
    [["d", 0], "1970-01-01"],
    [
      ["E", "ValueError"],
      ["E", "ValueError"],
    ],
  ],
  "Ref:People": [
    [null, 0],
    ["", 0],
    [0, 0],
    [false, 0],
    [true, 1],
    [12, 12],
    [2_147_483_647, 2_147_483_647],
    [2_147_483_648, "2147483648.0"],
    [1.5, "1.5"],
    ["12", "12"],
    ["[12]", "[12]"],
    [["L"], 0],
    [["L", 4, 5], 4],
    [["L", "Ann"], "Ann"],
    [["L", null], 0],
    [["R", "People", 6], 6],
    [["R", "Elsewhere", 6], "Elsewhere[6]"],
    [["d", 0], "1970-01-01"],
    [["l", "Nobody"], "Nobody"],
    [["l", "Nobody", { raw: " Nobody " }], " Nobody "],
  ],
  "RefList:People": [
    [null, null],
    ["", null],
    [0, null],
    [false, null],
    [true, ["L", 1]],
    [12, ["L", 12]],
    [1.5, "1.5"],
    ["[3, 4]", ["L", 3, 4]],
    ["[]", null],
    ["[0]", "[0]"],
    ["[3, -4]", "[3, -4]"],
    ['["Ann"]', '["Ann"]'],
    ["3, 4", "3, 4"],
    [["L"], null],
    [
      ["L", 4, 4, 5],
      ["L", 4, 4, 5],
    ],
    [["L", 4, "x"], "[4, 'x']"],
    [["L", 1.5], "[1.5]"],
    [
      ["r", "People", [6, 7]],
      ["L", 6, 7],
    ],
    [["r", "Elsewhere", [6]], "Elsewhere[[6]]"],
    [["l", ["Ann", "Bob"]], "['Ann', 'Bob']"],
    [["l", []], null],
  ],
  Attachments: [
    [3, ["L", 3]],
    ["[3]", ["L", 3]],
    ["3", "3"],
    [
      ["L", 1],
      ["L", 1],
    ],
  ],
  Any: [
    [null, null],
    ["", ""],
    ["12", "12"],
    [true, true],
    [1e300, 1e300],
    [["L"], ["L"]],
    [
      ["L", "a", ["d", 90_000]],
      ["L", "a", ["d", 86_400]],
    ],
    [
      ["d", 90_000],
      ["d", 86_400],
    ],
    [
      ["D", 90_000.5, "Europe/Oslo"],
      ["D", 90_000.5, "Europe/Oslo"],
    ],
    [
      ["R", "People", 1],
      ["R", "People", 1],
    ],
    [
      ["O", { a: { b: 1 }, c: [1] }],
      ["O", { a: ["O", { b: 1 }], c: ["E", "KeyError"] }],
    ],
    [["C"], ["C"]],
    [["S"], ["E", "KeyError"]],
    [
      ["V", 1],
      ["E", "KeyError"],
    ],
    [["D"], ["E", "IndexError"]],
    [
      ["D", 5],
      ["E", "IndexError"],
    ],
    [
      ["D", 5, "Nowhere/Land"],
      ["E", "KeyError"],
    ],
    [
      ["D", "5", "UTC"],
      ["E", "TypeError"],
    ],
    [
      ["d", 1e18],
      ["E", "OverflowError"],
    ],
    [
      ["O", 5],
      ["E", "AttributeError"],
    ],
    [
      ["R", "People"],
      ["E", "IndexError"],
    ],
    [["E"], ["E", "TypeError"]],
    [
      ["L", [1], []],
      ["L", ["E", "KeyError"], ["E", "IndexError"]],
    ],
  ],
  PositionNumber: [
    [null, Infinity],
    ["", Infinity],
    ["2.5", 2.5],
    [true, 1],
    [NaN, Infinity],
    [3, 3],
  ],
};

for (const [name, cases] of Object.entries(TABLE)) {
  describe(name, () => {
    const type = columnType(name);
    for (const [value, kept] of cases) {
      test(`${JSON.stringify(value)} becomes ${JSON.stringify(kept)}`, () => {
        expect(type.convert(value)).toEqual(kept);
        expect(type.decodeRaw(type.encode(kept))).toEqual(kept);
        // Conversion is idempotent, except for the empty list, which only a text can produce.
        if (value !== "[]") expect(type.convert(type.convert(value))).toEqual(kept);
      });
    }
  });
}

const REFUSED: [type: string, value: CellValue][] = [
  ["Ref:People", -1],
  ["Ref:People", ["L", -1]],
  ["RefList:People", -1],
  ["RefList:People", ["L", 1, -2]],
  ["Attachments", -5],
  ["ManualSortPos", "first"],
  ["ManualSortPos", ["L", 1]],
];

test.each(REFUSED)("%s refuses %j", (name, value) => {
  expect(() => columnType(name).convert(value)).toThrow(AppError);
});

test("rejects values that are nested too deeply to be stored", () => {
  let value: CellValue = ["L"];
  for (let level = 0; level < 600; level++) value = ["L", value];
  expect(() => columnType("Any").convert(value)).toThrow("nested too deeply");
  let fine: CellValue = ["L"];
  for (let level = 0; level < 400; level++) fine = ["L", fine];
  const any = columnType("Any");
  expect(any.decode(any.encode(any.convert(fine)))).toEqual(fine);
});

describe("references by displayed value", () => {
  const context = {
    lookUp: (value: unknown, column: string | undefined) =>
      new Map<unknown, number>([
        ["Ann", 1],
        ["Bob", 2],
        [20, 7],
      ]).get(column === "Upper" ? String(value).toUpperCase() : value),
  };

  test.each<[CellValue, CellValue]>([
    [["l", "Bob"], 2],
    [["l", 20, { column: "Pay" }], 7],
    [["l", "Ann", { column: "Upper" }], "Ann"],
    [["l", ["Bob"]], "['Bob']"],
  ])("%j in a reference is %j", (value, kept) => {
    expect(columnType("Ref:People").convert(value, context)).toEqual(kept);
  });

  test.each<[CellValue, CellValue]>([
    [
      ["l", ["Bob", "Ann"]],
      ["L", 2, 1],
    ],
    [
      ["l", "Ann"],
      ["L", 1],
    ],
    [["l", ["Bob", "Zoe"]], "['Bob', 'Zoe']"],
    [["l", ["Bob", "Zoe"], { raw: "Bob; Zoe" }], "Bob; Zoe"],
  ])("%j in a list of references is %j", (value, kept) => {
    expect(columnType("RefList:People").convert(value, context)).toEqual(kept);
  });
});

test("validates cells of requests", () => {
  for (const value of [null, true, 0, "", ["L"], ["E", "x"], ["l", 1], ["V"], ["S"]]) {
    expect(isCellInput(value)).toBe(true);
  }
  for (const value of [undefined, {}, [], [1], ["x"], [["L"]], ["LL"]]) expect(isCellInput(value)).toBe(false);
});

test("converts any JSON value to a cell", () => {
  expect(cellFromJson({ a: [1, "x"] })).toBe("{'a': [1, 'x']}");
  expect(cellFromJson([1, 2])).toEqual(["E", "KeyError"]);
  expect(cellFromJson(["L", 1])).toEqual(["L", 1]);
  expect(cellFromJson(undefined)).toBeNull();
});
