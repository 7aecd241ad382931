import { expect, test } from "bun:test";
import { findFilter } from "../../../src/web/base/find-filter.ts";
import type { ColumnListing } from "../../../src/web/base/table-data.ts";

const column = (id: string, type: string, options: object = {}): ColumnListing => ({
  id,
  fields: {
    colRef: 1,
    label: id,
    type,
    isFormula: false,
    formula: "",
    widgetOptions: JSON.stringify(options),
    description: "",
    displayCol: 0,
    visibleCol: 0,
    parentPos: 1,
    reverseCol: 0,
    summarySourceCol: 0,
    recalcWhen: 0,
  },
});

const COLUMNS = [
  column("manualSort", "ManualSortPos"),
  column("gristHelper_Display", "Text"),
  column("Name", "Text"),
  column("Status", "Choice"),
  column("Customer", "Ref:Customers"),
  column("Tags", "ChoiceList", { choices: ["Berg", "Tal"] }),
  column("Total", "Numeric"),
  column("Day", "Date", { dateFormat: "DD.MM.YYYY" }),
  column("Done", "Bool"),
  column("Files", "Attachments"),
];

const TEXTS = [{ Name: { contains: "" } }, { Status: { contains: "" } }, { Customer: { contains: "" } }];
const texts = (text: string): object[] =>
  TEXTS.map((each) => Object.fromEntries(Object.keys(each).map((id) => [id, { contains: text }])));

test.each([
  ["xyz", "en-US", texts("xyz")],
  ["berg", "en-US", [...texts("berg"), { Tags: { hasAny: ["Berg"] } }]],
  ["1,000.5", "en-US", [...texts("1,000.5"), { Total: { eq: 1000.5 } }]],
  ["1.000,5", "de-DE", [...texts("1.000,5"), { Total: { eq: 1000.5 } }]],
  ["31.12.2025", "en-US", [...texts("31.12.2025"), { Day: { eq: "2025-12-31" } }]],
  ["2025-12-31", "en-US", [...texts("2025-12-31"), { Day: { eq: "2025-12-31" } }]],
] as const)("finds %s in a document of %s", (text, locale, conditions) => {
  const settings = { locale, timezone: "UTC" };
  expect(findFilter(text, { columns: COLUMNS, hidden: [], settings })).toEqual({ or: [...conditions] });
});

test("searches shown columns only, and finds nothing where no column can have the text", () => {
  const settings = { locale: "en-US", timezone: "UTC" };
  const hidden = ["Status", "Customer", "Tags", "Total", "Day"];
  expect(findFilter("x", { columns: COLUMNS, hidden, settings })).toEqual({ Name: { contains: "x" } });
  expect(findFilter("x", { columns: COLUMNS, hidden: [...hidden, "Name"], settings })).toEqual({ id: [] });
});
