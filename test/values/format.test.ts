import { expect, test } from "bun:test";
import type { CellValue } from "../../src/values/cell.ts";
import { columnType } from "../../src/values/column-type.ts";
import { cellFormatter } from "../../src/values/cell-formatter.ts";

const SHOWN: [type: string, value: CellValue, text: string, options?: Record<string, unknown>][] = [
  ["Text", "a, b", "a, b"],
  ["Text", null, ""],
  ["Choice", "", ""],
  ["Bool", true, "true"],
  ["Bool", "maybe", "maybe"],
  ["Numeric", 1234.5, "1234.5"],
  ["Numeric", 1e21, "1000000000000000000000"],
  ["Numeric", Infinity, "∞"],
  ["Numeric", NaN, "NaN"],
  ["Numeric", "-", "-"],
  ["Numeric", -5, "-€5.00", { numMode: "currency", currency: "EUR" }],
  ["Numeric", 3, " 3 ", { numSign: "parens" }],
  ["Int", 7, "7"],
  ["Int", 9876, "9,876", { numMode: "decimal" }],
  ["Date", 0, "1970-01-01"],
  ["Date", 1_709_251_200, "Friday, March 1st 2024", { dateFormat: "dddd, MMMM Do YYYY" }],
  ["Date", 0, "1970-01-01", { dateFormat: "" }],
  ["Date", "soon", "soon"],
  ["DateTime:Asia/Tokyo", 0, "1970-01-01 9:00am"],
  ["DateTime:Asia/Tokyo", 0, "1/1/70 09:00", { dateFormat: "D/M/YY", timeFormat: "HH:mm" }],
  ["ChoiceList", ["L", "a", "b, c", 'd"'], 'a, "b, c", "d"""'],
  ["ChoiceList", null, ""],
  ["ChoiceList", "stray", "stray"],
  ["Ref:Teams", 3, "Teams[3]"],
  ["Ref:Teams", 0, ""],
  ["Ref:Teams", "Red", "Red"],
  ["RefList:Teams", ["L", 3, 1], "Teams[3], Teams[1]"],
  ["RefList:Teams", null, ""],
  ["Attachments", ["L", 3, 1], "3, 1"],
  ["Any", 1 / 30, "0.03333333333333333"],
  ["Any", true, "true"],
  ["Any", ["L", "a,b", 1, ["d", 0]], '"a,b", 1, 1970-01-01'],
  ["Any", ["L", ["L", 1, "x"], null], '"[1, ""x""]", null'],
  ["Any", ["d", 86_400], "1970-01-02"],
  ["Any", ["D", 0, "Asia/Tokyo"], "1970-01-01 09:00:00+09:00"],
  ["Any", ["O", { k: ["L", 1], t: "x" }], '{"k": [1], "t": "x"}'],
  ["Any", ["R", "Teams", 2], "Teams[2]"],
  ["Any", ["R", "Teams", 0], ""],
  ["Any", ["r", "Teams", [2, 3]], "Teams[[2,3]]"],
  ["Any", ["U", "{1, 2}"], "{1, 2}"],
  ["Any", ["C"], "CENSORED"],
  ["Any", ["P"], ""],
  ["Numeric", ["E", "ZeroDivisionError"], "#DIV/0!"],
  ["Any", ["E", "InvalidTypedValue", "DateTime", "soon"], "#Invalid DateTime: soon"],
  ["Ref:Tea", ["E", "InvalidTypedValue", "Ref", "Assam"], "#Invalid Ref: Assam"],
  ["Any", ["E", "InvalidTypedValue"], "#InvalidTypedValue"],
  ["Date", ["E", "TypeError", "why"], "#TypeError"],
];

for (const [type, value, text, widgetOptions] of SHOWN) {
  test(`${type} ${JSON.stringify(widgetOptions ?? {})}: ${JSON.stringify(value)} is shown as ${text}`, () => {
    const format = cellFormatter(columnType(type), { locale: "en-US", timezone: "UTC", widgetOptions });
    expect(format(value)).toBe(text);
  });
}
