import { expect, test } from "bun:test";
import { tableSchema } from "../../src/exchange/table-schema.ts";
import { createTable, type ColumnFixture } from "./exported-tables.ts";

const fieldsOf = (column: ColumnFixture): object => {
  const described = tableSchema(createTable([column]), { header: "colId", path: "" }) as {
    schema: { fields: [object] };
  };
  return described.schema.fields[0];
};

const numbers = { type: "number", groupChar: ",", decimalChar: "." };
const FIELDS: [type: string, options: Record<string, unknown>, field: object][] = [
  ["Text", {}, { type: "string", format: "default" }],
  ["Text", { widget: "HyperLink" }, { type: "string", format: "uri" }],
  ["Numeric", {}, { ...numbers, bareNumber: false }],
  ["Numeric", { numMode: "decimal" }, { ...numbers, bareNumber: true }],
  ["Bool", {}, { type: "boolean", trueValue: ["TRUE"], falseValue: ["FALSE"] }],
  ["Date", {}, { type: "date", format: "any", gristFormat: "YYYY-MM-DD" }],
  ["Date", { dateFormat: "DD/MM/YY" }, { type: "date", format: "any", gristFormat: "DD/MM/YY" }],
  ["DateTime:Europe/Rome", {}, { type: "datetime", format: "any", gristFormat: "YYYY-MM-DD h:mma" }],
  ["DateTime", { timeFormat: "HH:mm" }, { type: "datetime", format: "any", gristFormat: "YYYY-MM-DD HH:mm" }],
  ["Choice", { choices: ["a", "b"] }, { type: "string", constraints: { enum: ["a", "b"] } }],
  ["ChoiceList", {}, { type: "array", constraints: {} }],
  ["Int", {}, { type: "string" }],
  ["Ref:People", {}, { type: "string" }],
  ["Attachments", {}, { type: "string" }],
  ["Any", {}, { type: "string" }],
];

test.each(FIELDS)("%s %j is described as %j", (type, options, field) => {
  expect(fieldsOf({ id: "A", type, options })).toEqual({ name: "A", ...field });
});

test("includes the description if there is one", () => {
  expect(fieldsOf({ id: "A", type: "Any", description: "why" })).toEqual({
    name: "A",
    description: "why",
    type: "string",
  });
});

test("describes the table", () => {
  const table = createTable([{ id: "A", type: "Any", label: "What" }], { id: "My_Big_Table", title: "Page" });
  expect(tableSchema(table, { header: "label", path: "https://x.test/csv" })).toEqual({
    name: "my-big-table",
    title: "Page",
    format: "csv",
    mediatype: "text/csv",
    encoding: "utf-8",
    path: "https://x.test/csv",
    dialect: { delimiter: ",", doubleQuote: true },
    schema: { fields: [{ name: "What", type: "string" }] },
  });
});
