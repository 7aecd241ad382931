import { describe, expect, test } from "bun:test";
import type { OpenDocument } from "../../src/doc/document.ts";
import { totalsBySql } from "../../src/doc/aggregate/sql-totals.ts";
import { planAggregate } from "../../src/doc/aggregate/aggregate-plan.ts";
import { type MeasureName, MEASURES } from "../../src/doc/aggregate/measures.ts";
import { visibilityFor } from "../../src/doc/read/visibility-filter.ts";
import { aggregateVerbs } from "../../src/hosts/verbs/aggregate.ts";
import type { CellValue } from "../../src/values/cell.ts";
import { Random } from "../helpers/random.ts";
import { randomRuns } from "../helpers/random-runs.ts";
import { grantOf, sampleDocument, type SampleTable, textOf } from "./read/sample.ts";

const COLUMNS = {
  Amount: "Numeric",
  Count: "Int",
  On: "Date",
  At: "DateTime:Asia/Tokyo",
  City: "Text",
  Kind: "Choice",
};

const NUMBERS = [0, 1, 0.1, 0.2, 0.3, -7.25, 1e16, 1, -1e16, 2 ** 53, 1e300, 4e15, 9e12, 1e-9, null];
/** Values of other types than their column's. */
const STRAYS: readonly CellValue[] = [-0, "n/a", "", "7", ["E", "ValueError"], ["L", 1], true];

function randomTable(random: Random, hasStrays: boolean): SampleTable {
  const cell = (values: readonly CellValue[]): CellValue =>
    hasStrays && random.below(5) === 0 ? random.pick(STRAYS) : random.pick(values);
  const rows = Array.from({ length: 1 + random.below(40) }, () => ({
    Amount: cell(NUMBERS),
    Count: cell(hasStrays ? NUMBERS : [0, 1, -7, 12, 12, 2_147_483_647, null]),
    On: cell(hasStrays ? [0, 86_400, 1e18, null] : [0, 86_400, -86_400, null]),
    At: cell([0, 0.5, 3600, null]),
    City: cell(["Oslo", "", "oslo", "\u{1F600}", null]),
    Kind: cell(["a", "b", "", null]),
  }));
  return { id: "Sales", columns: COLUMNS, rows };
}

function groupOf(document: OpenDocument, body: object): unknown {
  const args = { table: "Sales", body: new TextEncoder().encode(JSON.stringify(body)) };
  const text = textOf(document, aggregateVerbs["records.aggregate"].run(document, grantOf("sample", "owners"), args));
  return (JSON.parse(text) as { groups: unknown[] }).groups[0];
}

const NUMERIC = ["count", "sum", "avg", "min", "max"] as const;
const KINDS: Readonly<Record<string, readonly MeasureName[]>> = {
  Amount: NUMERIC,
  Count: NUMERIC,
  On: ["count", "min", "max"],
  At: ["count", "min", "max"],
  City: ["count"],
  Kind: ["count"],
};

type Measures = Record<string, "count" | Partial<Record<MeasureName, string>>>;

function measuresOf(columns: readonly string[]): Measures {
  const measures: Measures = { rows: "count" };
  for (const column of columns)
    for (const kind of KINDS[column] ?? []) measures[`${kind} ${column}`] = { [kind]: column };
  return measures;
}

/** Whether SQLite computes the measures of a column alone. */
function isBySql(document: OpenDocument, measures: Measures): boolean {
  const { table } = visibilityFor(document, grantOf("sample", "owners")).readTable("Sales");
  const requests = Object.entries(measures).map(([name, measure]) => {
    if (measure === "count") return { name, measure, column: null };
    const kind = MEASURES.find((each) => measure[each] !== undefined) ?? "count";
    return { name, measure: kind, column: measure[kind] ?? null };
  });
  const request = {
    groupBy: [],
    measures: requests,
    sort: [],
    limit: Number.POSITIVE_INFINITY,
    totals: false,
    subtotals: false,
    recordOrder: false,
    maxValues: null,
  };
  const plan = planAggregate(table, request, "UTC");
  return totalsBySql({ db: document.db }, { table, where: { sql: "", args: [] }, plan }) !== null;
}

describe("measures of all rows that SQLite computes", () => {
  const runs = Array.from({ length: randomRuns(40, 400) }, (_, seed) => ({ seed, hasStrays: seed % 2 === 1 }));

  test.each(runs)("equal those of reading the rows, seed $seed, strays: $hasStrays", ({ seed, hasStrays }) => {
    const document = sampleDocument([randomTable(new Random(seed), hasStrays)]);
    for (const columns of [...Object.keys(COLUMNS).map((column) => [column]), Object.keys(COLUMNS)]) {
      const measures = measuresOf(columns);
      // With totals, rows are read.
      expect({ columns, group: groupOf(document, { measures }) }).toEqual({
        columns,
        group: groupOf(document, { measures, totals: true }),
      });
    }
    if (hasStrays) return;
    const read = Object.keys(COLUMNS).filter((column) => !isBySql(document, measuresOf([column])));
    expect(read).toEqual([]);
  });

  test("are read where cells have another type, for groups, and for other measures", () => {
    const cells = (Amount: CellValue) => sampleDocument([{ id: "Sales", columns: COLUMNS, rows: [{ Amount }] }]);
    expect(isBySql(cells("n/a"), { sum: { sum: "Amount" } })).toBe(false);
    expect(isBySql(cells(["L", 1]), { count: { count: "Amount" } })).toBe(false);
    expect(isBySql(cells(1), { sum: { sum: "Amount" } })).toBe(true);
    expect(isBySql(cells(1), { median: { median: "Amount" } })).toBe(false);
    expect(isBySql(cells(1), { unique: { countDistinct: "Amount" } })).toBe(false);
  });

  test("of a large integer do not exceed 64 bits", () => {
    const rows = [{ Count: 9_007_199_254_740_992 }, { Count: 9_007_199_254_740_992 }];
    const document = sampleDocument([{ id: "Sales", columns: COLUMNS, rows }]);
    document.db.exec("update Sales set Count = 9223372036854775807");
    expect(groupOf(document, { measures: { sum: { sum: "Count" } } })).toEqual({ sum: 2 ** 64 });
  });
});
