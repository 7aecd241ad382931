import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../../src/doc/document.ts";
import type { CellValue } from "../../../src/values/cell.ts";
import { TestClock } from "../../helpers/clock.ts";
import { addSampleTable, sampleDocument } from "../read/sample.ts";
import { writeRules } from "../rules/reading.ts";
import { idsOf, ROW_RULE, STORES } from "./filtered.ts";

type Case = readonly [operators: object, finds: readonly number[] | string];

interface ColumnCases {
  readonly type: string;
  readonly cells: readonly CellValue[];
  readonly cases: readonly Case[];
  readonly widgetOptions?: object;
}

const ERROR: CellValue = ["E", "ValueError"];
const day = (text: string): number => Date.parse(`${text}Z`) / 1000;

/** Cells of a column counted from 1, and which of them each comparison selects. The document's zone is New York. */
const COLUMNS: readonly ColumnCases[] = [
  {
    type: "Numeric",
    cells: [1, 2.5, -0, 10, null, "n/a", ERROR, Infinity, NaN, true, "3"],
    cases: [
      [{ eq: 2.5 }, [2]],
      [{ eq: 0 }, [3]],
      [{ eq: "2.5" }, [2]],
      [{ ne: 1 }, [2, 3, 4, 8]],
      [{ gt: 1 }, [2, 4, 8]],
      [{ gte: 0 }, [1, 2, 3, 4, 8]],
      [{ lt: 1 }, [3]],
      [{ lte: 2.5 }, [1, 2, 3]],
      [{ gt: 1, lte: 10 }, [2, 4]],
      [{ in: [1, 10, 99] }, [1, 4]],
      [{ in: [] }, []],
      [{ nin: [1, 10] }, [2, 3, 8]],
      [{ nin: [] }, [1, 2, 3, 4, 8]],
      [{ empty: true }, [5]],
      [{ empty: false }, [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]],
      [{ eq: "many" }, "filter.operand"],
      [{ eq: null }, "filter.operand"],
      [{ eq: [1] }, "filter.operand"],
      [{ in: 1 }, "filter.operand"],
      [{ empty: 1 }, "filter.operand"],
      [{ contains: "1" }, "filter.operator"],
      [{ has: 1 }, "filter.operator"],
      [{ within: "today" }, "filter.operator"],
      [{ like: 1 }, "filter.operator"],
      [{ eq: 1, like: 1 }, "filter.operator"],
      [{}, "filter.invalid"],
    ],
  },
  {
    type: "Int",
    cells: [1, 2, 3, null, "", "x", 4_294_967_296],
    cases: [
      [{ gt: 1 }, [2, 3, 7]],
      [{ ne: 2 }, [1, 3, 7]],
      [{ eq: 4_294_967_296 }, [7]],
      [{ empty: true }, [4, 5]],
    ],
  },
  {
    type: "Bool",
    cells: [true, false, null, "maybe", 1],
    cases: [
      // The last cell is a number, as another program stored it.
      [{ eq: true }, [1]],
      [{ eq: "no" }, [2]],
      [{ eq: 1 }, [1]],
      [{ ne: true }, [2]],
      [{ in: [true, false] }, [1, 2]],
      [{ nin: [false] }, [1]],
      [{ empty: true }, [3]],
      [{ gt: false }, "filter.operator"],
      [{ eq: "maybe" }, "filter.operand"],
      [{ eq: 2 }, "filter.operand"],
    ],
  },
  {
    type: "Text",
    cells: ["fig", "Fig", "", null, "apple Fig", 7, "Größe", "ΟΔΟΣ", "1.50", "nul\u0000FIG", "İstanbul", ERROR, "é"],
    cases: [
      [{ eq: "fig" }, [1]],
      [{ ne: "fig" }, [2, 5, 7, 8, 9, 10, 11, 13]],
      [{ in: ["fig", "Fig"] }, [1, 2]],
      [{ nin: ["fig", "Fig"] }, [5, 7, 8, 9, 10, 11, 13]],
      [{ contains: "FIG" }, [1, 2, 5, 10]],
      [{ startsWith: "fi" }, [1, 2]],
      [{ endsWith: "fig" }, [1, 2, 5, 10]],
      [{ contains: "größe" }, [7]],
      [{ contains: "RÖSS" }, []],
      [{ contains: "σ" }, [8]],
      [{ endsWith: "οσ" }, [8]],
      [{ contains: "istan" }, []],
      [{ contains: "stan" }, [11]],
      [{ contains: "%" }, []],
      [{ contains: "_" }, []],
      [{ eq: 7 }, []],
      [{ contains: 1.5 }, [9]],
      [{ gt: "fig" }, [2, 7, 8, 10, 11]],
      [{ gte: "fig" }, [1, 2, 7, 8, 10, 11]],
      [{ lt: "fig" }, [5, 9, 13]],
      [{ lte: "Fig" }, [1, 2, 5, 9, 13]],
      [{ gte: "e", lt: "f" }, [13]],
      [{ matches: "^[Ff]ig$" }, [1, 2]],
      [{ matches: "(?i)^fig|e$" }, [1, 2, 7]],
      [{ matches: "\\d" }, [9]],
      [{ matches: "(" }, "filter.operand"],
      [{ matches: "(?=a)" }, "filter.operand"],
      [{ matches: "a".repeat(1001) }, "filter.operand"],
      [{ matches: "a{1000}a{1000}a{1000}" }, "filter.too_complex"],
      [{ empty: true }, [3, 4]],
      [{ eq: "" }, "filter.operand"],
      [{ contains: "" }, "filter.operand"],
      [{ contains: null }, "filter.operand"],
      [{ eq: true }, "filter.operand"],
      [{ hasAny: ["fig"] }, "filter.operator"],
    ],
  },
  {
    type: "Choice",
    cells: ["red", "Red", null],
    cases: [
      [{ eq: "red" }, [1]],
      [{ contains: "RED" }, [1, 2]],
    ],
  },
  {
    type: "Date",
    widgetOptions: { dateFormat: "DD/MM/YYYY" },
    cells: [day("2026-03-01"), day("2026-03-02"), day("2026-02-27"), null, "soon", day("2026-03-02") + 3600, ERROR],
    cases: [
      [{ eq: "2026-03-02" }, [2, 6]],
      [{ eq: "02/03/2026" }, [2, 6]],
      [{ eq: "March 2 2026" }, [2, 6]],
      [{ eq: day("2026-03-02") }, [2]],
      [{ ne: "2026-03-02" }, [1, 3]],
      [{ gt: "2026-03-01" }, [2, 6]],
      [{ gte: "2026-03-01" }, [1, 2, 6]],
      [{ lt: "2026-03-02" }, [1, 3]],
      [{ lte: "2026-03-02" }, [1, 2, 3, 6]],
      [{ in: ["2026-03-02", "27/02/2026"] }, [2, 3, 6]],
      [{ nin: ["2026-03-02", day("2026-03-01")] }, [3]],
      // 2026-03-02T03:00 in UTC is March 1 in New York.
      [{ eq: "2026-03-02T03:00Z" }, [1]],
      [{ within: "today" }, [1]],
      [{ within: "tomorrow" }, [2, 6]],
      [{ within: "last7days" }, [1, 3]],
      [{ within: "next2days" }, [1, 2, 6]],
      [{ within: "thisMonth" }, [1, 2, 6]],
      [{ within: "lastMonth" }, [3]],
      [{ within: "thisWeek" }, [1, 2, 6]],
      [{ within: "lastWeek" }, [3]],
      [{ within: "thisQuarter" }, [1, 2, 3, 6]],
      [{ within: "thisYear" }, [1, 2, 3, 6]],
      [{ within: "nextYear" }, []],
      [{ lt: "today" }, [3]],
      [{ gte: "tomorrow" }, [2, 6]],
      [{ empty: true }, [4]],
      [{ within: "someday" }, "filter.operand"],
      [{ within: "last0days" }, "filter.operand"],
      [{ within: 7 }, "filter.operand"],
      [{ eq: "soon" }, "filter.operand"],
      [{ contains: "2026" }, "filter.operator"],
    ],
  },
  {
    // The cells are shown in Tokyo; texts mean New York.
    type: "DateTime:Asia/Tokyo",
    cells: [
      day("2026-03-01T04:59:59"),
      day("2026-03-01T05:00"),
      day("2026-03-02T04:59:59"),
      day("2026-03-02T05:00"),
      null,
      "2026-03-01",
    ],
    cases: [
      [{ eq: "2026-03-01" }, [2, 3]],
      [{ ne: "2026-03-01" }, [1, 4]],
      [{ gt: "2026-03-01" }, [4]],
      [{ gte: "2026-03-01" }, [2, 3, 4]],
      [{ lt: "2026-03-01" }, [1]],
      [{ lte: "2026-03-01" }, [1, 2, 3]],
      [{ eq: "2026-03-01T00:00" }, [2]],
      [{ eq: "2026-03-01 05:00:00Z" }, [2]],
      [{ gt: "2026-03-01 00:00" }, [3, 4]],
      [{ lte: day("2026-03-01T05:00") }, [1, 2]],
      [{ within: "today" }, [2, 3]],
      [{ within: "yesterday" }, [1]],
      [{ eq: "2026-03-01 25:00" }, "filter.operand"],
    ],
  },
  {
    type: "ChoiceList",
    cells: [["L", "red"], ["L", "red", "blue"], ["L", 'a "b"'], null, "red", ["L"], ["L", "é", "redder"]],
    cases: [
      [{ has: "red" }, [1, 2]],
      [{ has: "RED" }, []],
      [{ has: 'a "b"' }, [3]],
      [{ has: "é" }, [7]],
      [{ hasAny: ["blue", "é"] }, [2, 7]],
      [{ hasAny: [] }, []],
      [{ hasAll: ["red", "blue"] }, [2]],
      [{ hasAll: [] }, [1, 2, 3, 7]],
      [{ eq: ["red", "blue"] }, [2]],
      [{ eq: ["blue", "red"] }, []],
      [{ ne: ["red"] }, [2, 3, 7]],
      [{ in: [["red"], ["é", "redder"]] }, [1, 7]],
      [{ nin: [["red"]] }, [2, 3, 7]],
      [{ empty: true }, [4, 6]],
      [{ has: "" }, "filter.operand"],
      [{ hasAny: "red" }, "filter.operand"],
      [{ eq: "red" }, "filter.operand"],
      [{ contains: "red" }, "filter.operator"],
    ],
  },
  {
    type: "Any",
    cells: [1, "1", true, null, "", ["L", 1, "a"], ["L"], ["O", { a: 1 }], ERROR, 2, "b", ["d", 0]],
    cases: [
      [{ eq: 1 }, [1]],
      [{ eq: "1" }, [2]],
      [{ eq: true }, [3]],
      [{ ne: 1 }, [10]],
      [{ ne: "b" }, [2]],
      [{ in: [1, "b", true] }, [1, 3, 11]],
      [{ nin: [1, "b"] }, [2, 10]],
      [{ gt: 0 }, [1, 10]],
      [{ gt: "a" }, [11]],
      [{ contains: "B" }, [11]],
      [{ has: "a" }, [6]],
      [{ has: "1" }, []],
      [{ eq: [1, "a"] }, [6]],
      [{ empty: true }, [4, 5, 7]],
      [{ eq: { a: 1 } }, "filter.operand"],
      [{ within: "today" }, "filter.operator"],
    ],
  },
];

// Noon of March 1 2026, a Sunday, in New York.
const clock = new TestClock(Date.UTC(2026, 2, 1, 17));
let document: OpenDocument;

beforeAll(() => {
  document = sampleDocument([], { clock });
  document.db.run("update _grist_DocInfo set timezone = 'America/New_York'");
  for (const [at, { type, cells, widgetOptions }] of COLUMNS.entries()) {
    const rows = cells.map((X) => ({ X }));
    addSampleTable(document.db, {
      id: `T${at}`,
      columns: { X: type },
      rows,
      ...(widgetOptions && { widgetOptions: { X: widgetOptions } }),
    });
  }
  writeRules(document, Object.fromEntries(COLUMNS.map((_, at) => [`T${at}:*`, [ROW_RULE]])));
});
afterAll(() => document.close());

describe.each(STORES)("by %s", (store) => {
  for (const [at, { type, cells, cases }] of COLUMNS.entries()) {
    test(type, () => {
      for (const [operators, finds] of cases) {
        const found = idsOf(document, { table: `T${at}`, filter: { X: operators }, store });
        expect({ operators, found }).toEqual({ operators, found: finds as number[] });
        if (typeof finds === "string") continue;
        const others = cells.map((_, index) => index + 1).filter((id) => !finds.includes(id));
        const negated = idsOf(document, { table: `T${at}`, filter: { not: { X: operators } }, store });
        expect({ not: operators, found: negated }).toEqual({ not: operators, found: others });
      }
    });
  }

  test("row ids", () => {
    const found = (operators: object) => idsOf(document, { table: "T1", filter: { id: operators }, store });
    expect(found({ gt: 5 })).toEqual([6, 7]);
    expect(found({ in: [1, 3, 99] })).toEqual([1, 3]);
    expect(found({ ne: 3, lt: 5 })).toEqual([1, 2, 4]);
    expect(found({ empty: true })).toEqual([]);
    expect(found({ contains: "1" })).toBe("filter.operator");
  });
});
