import { afterAll, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { marshal } from "../../../src/values/marshal.ts";
import { fetchData, fetchIds, listIds, sampleDocument } from "./sample.ts";

/** A column type, its cells, and which of them (counted from 1) the allowed values match. */
const columns: [type: string, cells: CellValue[], finds: [allowed: unknown[], ids: number[]][]][] = [
  [
    "Text",
    ["fig", "Fig", "", null, " fig", "7", 7, true, "na\u00EFve", "nai\u0308ve", "nul\u0000l", 'o\'h "x"', "🌰"],
    [
      [["fig"], [1]],
      [["FIG"], []],
      [[""], [3]],
      [[null], [4]],
      [
        ["", null],
        [3, 4],
      ],
      [["7"], [6]],
      [[7], [7]],
      [[1], [8]],
      [[true], [8]],
      [["na\u00EFve"], [9]],
      [["nul\u0000l", "nul"], [11]],
      [
        ['o\'h "x"', "🌰"],
        [12, 13],
      ],
      [[["L", "fig"], {}, ["fig"]], []],
    ],
  ],
  [
    "Int",
    [1, 0, -1, null, "1", "one", " 1", "", 4_294_967_296],
    [
      [[1], [1]],
      [
        [true, false],
        [1, 2],
      ],
      [
        [1.0, -1],
        [1, 3],
      ],
      [["1"], [5]],
      [
        ["one", ""],
        [6, 8],
      ],
      [[" 1"], [7]],
      [[null], [4]],
      [[4_294_967_296], [9]],
      [[0.5, 1.0000001], []],
    ],
  ],
  [
    "Numeric",
    [0.1, 0.30000000000000004, -0, NaN, Infinity, 1e300, 5.5, "5.5", 9_007_199_254_740_992, 1.7976931348623157e308],
    [
      [[0.1], [1]],
      [[0.3], []],
      [[0.1 + 0.2], [2]],
      [[0], [3]],
      [[null], []],
      [
        [1e300, 5.5],
        [6, 7],
      ],
      [["5.5"], [8]],
      [[9_007_199_254_740_992], [9]],
      [
        [1.7976931348623157e308, 0.1, 0.2, 0.3, 0.4],
        [1, 10],
      ],
    ],
  ],
  [
    "Bool",
    [true, false, "maybe", 1, 2, null],
    [
      [[true], [1, 4]],
      [[1], [1, 4]],
      [[0], [2]],
      [["maybe", "true"], [3]],
      [[2], [5]],
      [[null], [6]],
    ],
  ],
  [
    "Date",
    [0, 86_400, null, "1970-01-02", "2 days"],
    [
      [[86_400], [2]],
      [["1970-01-02"], [4]],
      [
        ["2 days", null],
        [3, 5],
      ],
    ],
  ],
  [
    "DateTime:Asia/Tokyo",
    [1_700_000_000, 0, "2 o'clock", null],
    [
      [
        [1_700_000_000, 0],
        [1, 2],
      ],
      [["2 o'clock"], [3]],
      [[null], [4]],
    ],
  ],
  [
    "Ref:Other",
    [3, 0, "Kim", "3"],
    [
      [[3], [1]],
      [[0], [2]],
      [["Kim"], [3]],
      [["3"], [4]],
      [[null], []],
    ],
  ],
  [
    "ChoiceList",
    [["L", "a"], ["L", "a", "b"], null, "a", '["a"]', "[a"],
    [
      [["a"], [4]],
      [[null], [3]],
      [[["a"], ["L", "a"]], []],
      [['["a"]'], [5]],
      [["[a"], [6]],
    ],
  ],
  [
    "RefList:Other",
    [["L", 4], ["L", 2, 1], ["L", 1, 2], null, "Kim", "4"],
    [
      [[[4]], [1]],
      [[[2, 1]], [2]],
      [
        [[1, 2], [4]],
        [1, 3],
      ],
      [[["L", 4]], []],
      [[[]], []],
      [
        [null, "Kim"],
        [4, 5],
      ],
      [["4"], [6]],
      [[4], []],
    ],
  ],
  [
    "Any",
    [1, true, "1", null, ["d", 86_400], ["E", "ValueError"], 2.5, false, ""],
    [
      [[1], [1, 2]],
      [
        ["1", 2.5],
        [3, 7],
      ],
      [[false], [8]],
      [
        [null, ""],
        [4, 9],
      ],
      [[86_400, "ValueError"], []],
    ],
  ],
];

describe.each(columns)("%s", (type, cells, finds) => {
  const document = sampleDocument([{ id: "T", columns: { V: type }, rows: cells.map((V) => ({ V })) }]);
  afterAll(() => document.close());

  test.each(finds)("%j", (allowed, ids) => {
    expect(fetchIds(document, { table: "T", filter: JSON.stringify({ V: allowed }) })).toEqual(ids);
    expect(listIds(document, "T", { filter: { V: allowed } })).toEqual(ids);
    expect(fetchData(document, { table: "T", filter: JSON.stringify({ V: allowed }) })["id"] as number[]).toEqual(ids);
  });
});

describe("numbers and texts of old files", () => {
  using document = sampleDocument([{ id: "T", columns: { N: "Int", L: "RefList:T" }, rows: [{}, {}, {}, {}] }]);
  const put = (id: number, column: string, value: Uint8Array) =>
    document.db.run(`update T set ${column} = ? where id = ?`, value, id);
  put(1, "N", marshal(5));
  put(2, "N", marshal("five"));
  put(3, "N", Uint8Array.of(0x67, 0, 0, 0, 0, 0, 0, 0x14, 0x40));
  put(4, "L", marshal(["L", 2, 3]));
  const find = (filter: unknown) => fetchIds(document, { table: "T", filter: JSON.stringify(filter) });

  const found = [find({ N: [5] }), find({ N: [0] }), find({ L: [[2, 3]] }), find({ L: [[3, 2]] })];
  test("match in all stored forms", () => {
    expect(found).toEqual([[1, 3], [4], [4], []]);
  });
});

describe("several columns", () => {
  const document = sampleDocument([
    {
      id: "T",
      columns: { A: "Text", N: "Int", gristHelper_Display: "Any", id2: "Bool" },
      rows: Array.from({ length: 40 }, (_, at) => ({ A: `t${at % 4}`, N: at % 3, gristHelper_Display: at + 0.5 })),
    },
  ]);
  afterAll(() => document.close());
  const find = (filter: unknown, query = {}) =>
    fetchIds(document, { table: "T", filter: JSON.stringify(filter), ...query });

  test("all must match", () => {
    expect(find({ A: ["t0", "t1"], N: [0] })).toEqual([1, 10, 13, 22, 25, 34, 37]);
    expect(find({ A: ["t0"], N: [] })).toEqual([]);
  });

  test("filters by ids, positions and hidden columns", () => {
    expect(find({ id: [40, 3, 3, 99, "5", 1.5, null, true] })).toEqual([1, 3, 40]);
    expect(find({ id: ["5"] })).toEqual([]);
    expect(find({ manualSort: [7] })).toEqual([7]);
    expect(find({ gristHelper_Display: [0.5, 2.5, 77] })).toEqual([1, 3]);
  });

  test("applies limits and sorts after the filter", () => {
    expect(find({ N: [2] }, { limit: "3" })).toEqual([3, 6, 9]);
    expect(find({ N: [2] }, { limit: "2", sort: "-id" })).toEqual([39, 36]);
    expect(find({ N: [2] }, { limit: "2", sort: "-A" })).toEqual([12, 24]);
    expect(find({ N: [1, 2] }, { limit: "2", sort: "-N" })).toEqual([3, 6]);
  });

  test("supports thousands of values", () => {
    const many = Array.from({ length: 30_000 }, (_, at) => at + 0.5);
    expect(find({ A: many.map((value) => `t${value + 1.5}`) })).toHaveLength(20);
    expect(find({ id: many.map((value) => value + 0.5) })).toHaveLength(40);
    expect(find({ gristHelper_Display: many.slice(0, 10_000) })).toHaveLength(40);
    expect(() => find({ gristHelper_Display: many })).toThrow("too many values");
  });

  test("treats an absent or empty filter as none", () => {
    for (const filter of [undefined, "", "{}", "[]", " { } "]) {
      expect(fetchIds(document, filter === undefined ? { table: "T" } : { table: "T", filter })).toHaveLength(40);
    }
  });

  const refused = [
    "{",
    "null",
    "3",
    '"A"',
    "true",
    "[1]",
    "[[1]]",
    '{"A":"t0"}',
    '{"A":null}',
    '{"Nope":[]}',
    '{"a":[1]}',
  ];
  test.each([...refused, '{"":[1]}', '{"__proto__":[1]}', '{"A":["x"],"N":{}}'])("%s is refused", (filter) => {
    expect(() => fetchIds(document, { table: "T", filter })).toThrow(AppError);
  });

  const refusedBodies = [
    [],
    { filter: null },
    { filter: [] },
    { filter: "{}" },
    { filter: { A: "t0" } },
    { filter: { Nope: [1] } },
    { limit: -1 },
    { limit: "1" },
    { limit: null },
    { sort: "A" },
    { sort: [1] },
    { sort: [""] },
    { hidden: "true" },
    { hidden: null },
    { cellFormat: "" },
    { cellFormat: null },
  ];
  test.each(refusedBodies.map((body) => [JSON.stringify(body), body]))("body %s is refused", (_text, body) => {
    expect(() => listIds(document, "T", body)).toThrow(AppError);
  });

  test("ignores unknown keys of a body", () => {
    expect(listIds(document, "T", { limit: 1, offset: 3 })).toEqual([1]);
  });
});

describe("limits", () => {
  using document = sampleDocument([{ id: "T", columns: {}, rows: [{}, {}, {}] }]);
  const count = (limit: string) => fetchIds(document, { table: "T", limit }).length;
  const limits = ["0", "", "2", "2.9", "2abc", "1e2", " 3", "+1", "99", "-0"].map((limit) => [limit, count(limit)]);
  const refusals = ["-1", "many", "e1", "-1abc", "."].map((limit) => {
    try {
      return count(limit);
    } catch (error) {
      return error;
    }
  });

  test("uses the leading integer; 0 and nothing mean all", () => {
    expect(Object.fromEntries(limits) as object).toEqual({
      "0": 3,
      "": 3,
      "2": 2,
      "2.9": 2,
      "2abc": 2,
      "1e2": 1,
      " 3": 3,
      "+1": 1,
      "99": 3,
      "-0": 3,
    });
  });
  test("refuses all other values", () => {
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(AppError);
  });
});
