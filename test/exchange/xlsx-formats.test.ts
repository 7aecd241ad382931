import { describe, expect, test } from "bun:test";
import type { WidgetOptions } from "../../src/values/column-type.ts";
import { columnFormat, formatCode } from "../../src/exchange/xlsx/formats.ts";

const fixed = (digits: number) => ({ decimals: digits, maxDecimals: digits });

/** Format codes as Excel, LibreOffice and Google Sheets write them. */
const numbers: [code: string, options: WidgetOptions | null][] = [
  ["General", null],
  ["0", fixed(0)],
  ["0.00", fixed(2)],
  ["0.0##", { decimals: 1, maxDecimals: 3 }],
  ["#,##0", { numMode: "decimal", ...fixed(0) }],
  ["#,##0.00", { numMode: "decimal", ...fixed(2) }],
  ["#,##0.00_);[Red](#,##0.00)", { numMode: "decimal", ...fixed(2), numSign: "parens" }],
  ["0%", { numMode: "percent", ...fixed(0) }],
  ["0.0%", { numMode: "percent", ...fixed(1) }],
  ["0.00E+00", { numMode: "scientific", ...fixed(2) }],
  ['"$"#,##0.00', { numMode: "currency", currency: "USD", ...fixed(2) }],
  ["[$€-407] #,##0.00", { numMode: "currency", currency: "EUR", ...fixed(2) }],
  ['#,##0.00\\ "€"', { numMode: "currency", currency: "EUR", ...fixed(2) }],
  ["#,##0.00\\ [$€-407];[Red]\\-#,##0.00\\ [$€-407]", { numMode: "currency", currency: "EUR", ...fixed(2) }],
  ["[$CHF-807]\\ #,##0", { numMode: "currency", currency: "CHF", ...fixed(0) }],
  ['_-"£"* #,##0.00_-;\\-"£"* #,##0.00_-;_-"£"* "-"??_-;_-@_-', { numMode: "currency", currency: "GBP", ...fixed(2) }],
  ["[$$-1009]#,##0.00", { numMode: "currency", currency: "CAD", ...fixed(2) }],
  ["[$kr-414]\\ #,##0.00", { numMode: "currency", currency: "NOK", ...fixed(2) }],
  ["General;(General)", { numSign: "parens" }],
  ['0.0 "kg"', fixed(1)],
  ["[$-407]0.00", fixed(2)],
  // Formats that columns do not support.
  ["#,##0,", null],
  ["# ?/?", null],
  ["", null],
];

const dates: [code: string, options: WidgetOptions | null][] = [
  ["yyyy\\-mm\\-dd", { dateFormat: "YYYY-MM-DD", isCustomDateFormat: false }],
  ["dd\\.mm\\.yyyy", { dateFormat: "DD.MM.YYYY", isCustomDateFormat: true }],
  ["dd/mm/yy;@", { dateFormat: "DD/MM/YY", isCustomDateFormat: true }],
  ["m/d/yyyy", { dateFormat: "M/D/YYYY", isCustomDateFormat: true }],
  ["[$-407]d. mmmm yyyy", { dateFormat: "D. MMMM YYYY", isCustomDateFormat: true }],
  ['[$-C0A]d "de" mmmm "de" yyyy', { dateFormat: "D [de] MMMM [de] YYYY", isCustomDateFormat: true }],
  ["ddd d mmm", { dateFormat: "ddd D MMM", isCustomDateFormat: true }],
  [
    "yyyy-mm-dd hh:mm:ss",
    { dateFormat: "YYYY-MM-DD", isCustomDateFormat: false, timeFormat: "HH:mm:ss", isCustomTimeFormat: false },
  ],
  [
    "d.m.yy h:mm AM/PM",
    { dateFormat: "D.M.YY", isCustomDateFormat: true, timeFormat: "h:mm A", isCustomTimeFormat: true },
  ],
  [
    "h:mm:ss am/pm m/d/yyyy",
    { dateFormat: "M/D/YYYY", isCustomDateFormat: true, timeFormat: "h:mm:ss a", isCustomTimeFormat: true },
  ],
  ['yyyy"年"m"月"d"日"', { dateFormat: "YYYY年M月D日", isCustomDateFormat: true }],
  [
    'd.m.yyyy hh:mm "Uhr"',
    { dateFormat: "D.M.YYYY", isCustomDateFormat: true, timeFormat: "HH:mm [Uhr]", isCustomTimeFormat: true },
  ],
  ['ddd"", mmmm d"", yyyy', { dateFormat: "dd, MMMM Do, YYYY", isCustomDateFormat: true }],
  ["[h]:mm", null],
  ["hh:mm", null],
];

describe("converts number formats of workbooks to column options", () => {
  test.each(numbers)("%s", (code, options) => {
    expect(columnFormat(code, { isDate: false })).toEqual(options && { of: "numbers", options });
  });

  test("recognizes text formats by code or id", () => {
    expect(columnFormat("@", { isDate: false })).toEqual({ of: "texts", options: {} });
    expect(formatCode(49, undefined)).toBe("@");
  });

  test.each(dates)("%s", (code, options) => {
    expect(columnFormat(code, { isDate: true })).toEqual(options && { of: "dates", options });
  });

  test("built-in formats", () => {
    expect(formatCode(4, undefined)).toBe("#,##0.00");
    expect(formatCode(164, "0.0")).toBe("0.0");
    // Depends on the computer's settings, and the general format.
    expect([formatCode(14, undefined), formatCode(0, undefined)]).toEqual([undefined, undefined]);
  });
});
