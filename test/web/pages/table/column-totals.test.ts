import { expect, test } from "bun:test";
import { TOTALS, type Total } from "../../../../src/web/base/view-state.ts";
import type { ColumnListing } from "../../../../src/web/base/table-data.ts";
import { readColumns } from "../../../../src/web/pages/table/client/columns/columns.ts";
import {
  averageFormatter,
  measureOf,
  offeredTotals,
  totalsOf,
  totalText,
} from "../../../../src/web/pages/table/client/totals/column-totals.ts";

const SETTINGS = { locale: "en-US", timezone: "Europe/Berlin" };

function column(type: string, options: object = {}) {
  const fields = { colRef: 1, label: "A", type, isFormula: false, formula: "", description: "", parentPos: 1 };
  const rest = { displayCol: 0, visibleCol: 0, reverseCol: 0, summarySourceCol: 0, recalcWhen: 0 };
  const listing: ColumnListing = { id: "A", fields: { ...fields, ...rest, widgetOptions: JSON.stringify(options) } };
  const [read] = readColumns({ columns: [listing], shown: {}, settings: SETTINGS });
  if (!read) throw new Error("no column");
  return read;
}

const COUNTS: readonly Total[] = ["count", "filled", "unique"];

test("offers totals of numbers for formulas that compute numbers", () => {
  const any = column("Any");
  expect(offeredTotals(any, [null, 1, 2.5, ["E", "ValueError"]])).toEqual(TOTALS);
  expect(offeredTotals(any, [1, "two"])).toEqual(COUNTS);
  expect(offeredTotals(any, [["d", 86_400]])).toEqual(COUNTS);
  expect(offeredTotals(any, [null, ""])).toEqual(COUNTS);
  expect(offeredTotals(column("Numeric"), ["two"])).toEqual(TOTALS);
});

test.each<[type: string, totals: readonly Total[]]>([
  ["Numeric", TOTALS],
  ["Int", TOTALS],
  ["Date", ["minimum", "maximum", ...COUNTS]],
  ["DateTime:Europe/Berlin", ["minimum", "maximum", ...COUNTS]],
  ["Text", COUNTS],
  ["Bool", COUNTS],
  ["Choice", COUNTS],
  ["ChoiceList", COUNTS],
  ["Ref:Customers", COUNTS],
  ["RefList:Customers", COUNTS],
  ["Attachments", COUNTS],
  ["Any", TOTALS],
])("offers the totals that fit %s", (type, totals) => {
  expect(totalsOf(column(type))).toEqual(totals);
});

test.each<[total: Total, measure: unknown]>([
  ["sum", { sum: "A" }],
  ["average", { avg: "A" }],
  ["minimum", { min: "A" }],
  ["maximum", { max: "A" }],
  ["count", "count"],
  ["filled", { count: "A" }],
  ["unique", { countDistinct: "A" }],
])("asks the API for %s", (total, measure) => {
  expect(measureOf(total, "A")).toEqual(measure);
});

const CURRENCY = { numMode: "currency", currency: "EUR" };

test.each<[type: string, options: object, total: Total, measure: unknown, text: string]>([
  ["Numeric", { numMode: "decimal", decimals: 2 }, "sum", 1_204_330, "1,204,330.00"],
  ["Numeric", CURRENCY, "sum", 1234.5, "€1,234.50"],
  ["Numeric", CURRENCY, "average", 1234.567, "€1,234.57"],
  ["Numeric", {}, "average", 10 / 3, "3.33"],
  ["Numeric", { decimals: 4 }, "average", 10 / 3, "3.3333"],
  ["Numeric", {}, "sum", 0.1 + 0.2, "0.3"],
  ["Int", {}, "average", 4.5, "4.5"],
  ["Int", {}, "sum", 9, "9"],
  ["Int", {}, "average", null, ""],
  ["Date", { dateFormat: "DD.MM.YYYY" }, "minimum", "2026-01-31", "31.01.2026"],
  ["DateTime:Europe/Berlin", { timeFormat: "HH:mm" }, "maximum", "2026-01-31T12:05:00+01:00", "2026-01-31 12:05"],
  ["Date", {}, "minimum", "not a date", "not a date"],
  ["Text", {}, "unique", 12_408, "12,408"],
  ["Numeric", CURRENCY, "filled", 3, "3"],
])("shows the measure of a %s column with %j as %s of %j: %s", (type, options, total, measure, text) => {
  const formatCount = (count: number) => count.toLocaleString("en-US");
  expect(totalText(total, measure, { column: column(type, options), settings: SETTINGS, formatCount })).toBe(text);
});

test("averages of whole numbers have decimals", () => {
  expect(averageFormatter(column("Int"), SETTINGS)(359.2917)).toBe("359.29");
});
