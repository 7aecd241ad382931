import { expect, test } from "bun:test";
import { columnType, type ParseSettings } from "../../src/values/column-type.ts";
import { currencyOf } from "../../src/values/currencies.ts";
import { cpuMs } from "../helpers/cpu-time.ts";

const EN: ParseSettings = { locale: "en-US", timezone: "UTC" };

const read = (type: string, text: string, settings: ParseSettings = EN) =>
  columnType(type).convert(columnType(type).parse(text, settings));

/** Texts that are numbers with default document settings, and their values. */
const NUMBERS: [text: string, value: number][] = [
  ["42", 42],
  ["-42", -42],
  ["+42", 42],
  ["00042", 42],
  ["4.20", 4.2],
  [".75", 0.75],
  ["75.", 75],
  ["9,876", 9876],
  ["9,876,543.21", 9_876_543.21],
  ["98,76", 9876],
  ["12,34,567", 1_234_567],
  [",750", 750],
  ["9 876", 9876],
  ["9\u00a0876\u202f543", 9_876_543],
  ["\u200e42\u200f", 42],
  ["2.468,10", 2.4681],
  ["$42", 42],
  ["42$", 42],
  ["4$2", 42],
  ["-$4.20", -4.2],
  ["$-4.20", -4.2],
  ["$ 9,876.50", 9876.5],
  ["25%", 0.25],
  ["%25", 0.25],
  ["-7.5 %", -0.075],
  ["$200%", 2],
  ["(42)", -42],
  ["( 42 )", -42],
  ["($9,876)", -9876],
  ["$(5)", -5],
  ["(+4)", -4],
  ["(50%)", -0.5],
  ["- 42", -42],
  ["4e2", 400],
  ["4E-2", 0.04],
  ["0xff", 255],
  ["0b101", 5],
  ["0o17", 15],
  ["Infinity", Infinity],
  ["-1e999", -Infinity],
  ["1_000", 1000],
  ["４２", 42],
  ["inf", Infinity],
];

test.each(NUMBERS)("%j is read as %p", (text, value) => {
  expect(read("Numeric", text)).toBe(value);
});

const NO_NUMBERS = [
  " ",
  "\t\n",
  "$",
  "%",
  "$%",
  "()",
  "(0)",
  "(-4)",
  "(4",
  "4)",
  "-(4)",
  "4-",
  "--4",
  "4,2",
  "4,,200",
  "4,20,",
  "4.2.1",
  "4%%",
  "$4$",
  "€4",
  "£4",
  "USD 4",
  "4 USD",
  "4'200",
  "1/4",
  "¼",
  "−4",
  "four",
  "4 pieces",
  "0x",
  "1e",
  "٤٫٢",
];

test.each(NO_NUMBERS)("%j stays a text", (text) => {
  expect(read("Numeric", text)).toBe(text);
  expect(read("Int", text)).toBe(text);
});

test.each<[string, number | string | null]>([
  ["", null],
  ["4.99", 4],
  ["-4.99", -4],
  ["(4.99)", -4],
  ["-0.4", 0],
  ["99%", 0],
  ["250%", 2],
  ["$9,876.50", 9876],
  ["2147483647", 2_147_483_647],
  ["2,147,483,648", "2147483648.0"],
  ["-3000000000", "-3000000000.0"],
  ["1e25", "1e+25"],
  ["Infinity", "inf"],
  ["1e999", "inf"],
  ["-Infinity", "-inf"],
  ["nan", "nan"],
  ["inf", "inf"],
])("%j is the whole number %p", (text, value) => {
  expect(read("Int", text)).toBe(value);
});

const ABROAD: [locale: string, currency: string | undefined, text: string, value: number | string][] = [
  ["de-DE", "EUR", "9.876,5", 9876.5],
  ["de-DE", "EUR", "9.876.543", 9_876_543],
  ["de-DE", "EUR", "-9.876", -9876],
  ["de-DE", "EUR", "4,2", 4.2],
  ["de-DE", "EUR", "4.2", 4.2],
  ["de-DE", "EUR", "4.20", 420],
  ["de-DE", "EUR", "9,876.5", "9,876.5"],
  ["de-DE", "EUR", "4,20 €", 4.2],
  ["de-DE", "EUR", "(€4)", -4],
  ["de-DE", "EUR", "$4", "$4"],
  ["de-DE", undefined, "4 €", 4],
  ["de-DE", "EUR", "12,5 %", 0.125],
  ["de-DE", "EUR", "4E2", 400],
  ["de-AT", undefined, "€ 4", 4],
  ["fr-FR", undefined, "9\u202f876,5 €", 9876.5],
  ["fr-FR", undefined, "9 876,5", 9876.5],
  ["fr-CA", undefined, "4,2 $", 4.2],
  ["de-CH", undefined, "9'876.5", 9876.5],
  ["de-CH", undefined, "9’876.5", 9876.5],
  ["en-IN", undefined, "₹98,76,543", 9_876_543],
  ["sv-SE", undefined, "−42", -42],
  ["sv-SE", undefined, "42 kr", 42],
  ["sv-SE", undefined, "1,5×10^3", 1500],
  ["pt-BR", undefined, "R$ 9.876,50", 9876.5],
  ["en-GB", undefined, "£42", 42],
  ["en-GB", undefined, "$42", "$42"],
  ["ja-JP", undefined, "¥42", 42],
  ["ja-JP", undefined, "￥42", 42],
  ["ja-JP", "USD", "$42", 42],
  ["ja-JP", "USD", "¥42", "¥42"],
  ["pl-PL", undefined, "42 zł", 42],
  ["ar-EG", undefined, "٩٬٨٧٦٫٥", 9876.5],
  ["es-ES", undefined, "9876,5", 9876.5],
  ["no such place", undefined, "$9,876.5", 9876.5],
  ["", "EUR", "€4", 4],
  ["en-US", "nonsense", "$4", 4],
];

test.each(ABROAD)("in %s with %s %j is %p", (locale, currency, text, value) => {
  expect(read("Numeric", text, { locale, currency, timezone: "UTC" })).toBe(value);
});

test("prefers the column's currency to the document's", () => {
  const settings = { ...EN, currency: "EUR", widgetOptions: { currency: "GBP" } };
  expect(["£4", "€4", "$4"].map((text) => read("Numeric", text, settings))).toEqual([4, "€4", "$4"]);
  expect(read("Numeric", "€4", { ...settings, widgetOptions: { currency: "" } })).toBe(4);
  expect(read("Numeric", "€4", { ...settings, widgetOptions: { currency: 5 } })).toBe(4);
});

test("does not parse numbers in other types", () => {
  for (const type of ["Text", "Choice", "Any"]) expect(read(type, "$4")).toBe("$4");
  expect(read("Bool", "$4")).toBe("$4");
  expect(read("PositionNumber", "1,250.5")).toBe(1250.5);
});

test.each([
  ["en-US", "USD"],
  ["en-GB", "GBP"],
  ["de-LI", "CHF"],
  ["fi", "EUR"],
  ["zh-Hant-TW", "TWD"],
  ["es-419", "USD"],
  ["", "USD"],
])("people in %p pay in %s", (locale, currency) => {
  expect(currencyOf(locale)).toBe(currency);
});

test("parses long texts in linear time", () => {
  for (const text of [
    "9,".repeat(100_000),
    "(".repeat(200_000),
    "$".repeat(200_000),
    " ".repeat(200_000),
    `4${" ".repeat(200_000)}x`,
    `x${"\u001c".repeat(1000)}`,
    "9".repeat(200_000),
  ]) {
    expect(cpuMs(() => read("Numeric", text))).toBeLessThan(500);
  }
});
