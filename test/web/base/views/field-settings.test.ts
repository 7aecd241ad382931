import { expect, test } from "bun:test";
import { columnsInSection } from "../../../../src/web/base/views/field-settings.ts";
import { columnOf, fieldOf } from "./sections.ts";

const COLUMN = columnOf("Customer", 2, "Ref:Customers", {
  widgetOptions: '{"alignment":"left"}',
  displayCol: 8,
  visibleCol: 9,
  rules: ["L", 5],
});
const settings = (part: Parameters<typeof fieldOf>[2]) =>
  columnsInSection([COLUMN], { fields: [fieldOf(1, 2, part)] })[0];

test("a field without options has the settings of its column", () => {
  expect(settings({ displayCol: 11, rules: ["L", 6] })).toBe(COLUMN);
});

test("a field with options has none of its column's, but for what references show", () => {
  const widgetOptions = '{"wrap":true}';
  expect(settings({ widgetOptions })?.fields).toMatchObject({
    widgetOptions,
    displayCol: 8,
    visibleCol: 9,
    rules: null,
  });
  expect(settings({ widgetOptions, displayCol: 11, visibleCol: 12, rules: ["L", 6] })?.fields).toMatchObject({
    displayCol: 11,
    visibleCol: 12,
    rules: ["L", 6],
  });
});
