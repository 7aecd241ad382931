import { expect, test } from "bun:test";
import type { CellValue } from "../../src/values/cell.ts";
import type { ParseSettings } from "../../src/values/column-type.ts";
import { guessColumn } from "../../src/values/guess-column.ts";
import { cpuMs } from "../helpers/cpu-time.ts";

const EN: ParseSettings = { locale: "en-US", timezone: "UTC", nowMs: Date.UTC(2025, 4, 20) };
const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 1000;

interface Guess {
  given: CellValue[];
  type: string | null;
  values?: CellValue[];
  options?: Record<string, unknown>;
}

/** Options of a guessed date: an empty time format. */
const NO_TIME = { isCustomTimeFormat: true, timeFormat: "" };

const GUESSES: Guess[] = [
  { given: [null, "", null], type: null },
  { given: ["true", "false"], type: "Bool", values: [true, false] },
  { given: ["true", ""], type: "Text" },
  { given: ["true", null], type: "Text" },
  { given: ["True"], type: "Text" },
  { given: ["yes"], type: "Text" },
  { given: ["3", "-4.5", "", null], type: "Numeric", values: [3, -4.5, null, null] },
  { given: [" 3 ", "\t"], type: "Numeric", values: [3, null] },
  { given: ["3", "x"], type: "Text", values: ["3", "x"] },
  {
    given: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "x"],
    type: "Numeric",
    values: [1, 2, 3, 4, 5, 6, 7, 8, 9, "x"],
  },
  { given: ["1", "2", "3", "4", "5", "6", "7", "8", "x"], type: "Text" },
  { given: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "010"], type: "Text" },
  { given: ["08"], type: "Text" },
  { given: ["+8"], type: "Text" },
  { given: ["8e3"], type: "Text" },
  { given: ["0x8"], type: "Text" },
  { given: ["98765432109876543210"], type: "Text" },
  { given: ["+49 30 1234"], type: "Text" },
  { given: ["8:30"], type: "Text" },
  { given: ["25%", "3%"], type: "Numeric", values: [0.25, 0.03], options: { numMode: "percent" } },
  { given: ["30%", "4.5%"], type: "Numeric", values: [0.3, 0.045], options: { numMode: "percent", maxDecimals: 1 } },
  { given: ["2.5%"], type: "Numeric", values: [0.025], options: { numMode: "percent", decimals: 1 } },
  { given: ["$4.25", "$9,876.50"], type: "Numeric", options: { numMode: "currency", decimals: 2 } },
  { given: ["$4", "$9.50"], type: "Text" },
  { given: ["€4"], type: "Text" },
  { given: ["9,876", "12"], type: "Numeric", values: [9876, 12], options: { numMode: "decimal" } },
  { given: ["98,76"], type: "Text" },
  { given: ["(4)", "4"], type: "Numeric", values: [-4, 4], options: { numSign: "parens" } },
  { given: ["1.50", "2.75"], type: "Numeric", values: [1.5, 2.75], options: { decimals: 2 } },
  { given: ["1.50", "2"], type: "Text" },
  { given: ["1.5", "2"], type: "Numeric", values: [1.5, 2] },
  { given: ["2024"], type: "Numeric", values: [2024] },
  {
    given: ["2023-07-09", ""],
    type: "Date",
    values: [day("2023-07-09"), null],
    options: { dateFormat: "YYYY-MM-DD", isCustomDateFormat: false, ...NO_TIME },
  },
  {
    given: ["07/09/2023", "08/10/2023"],
    type: "Date",
    values: [day("2023-07-09"), day("2023-08-10")],
    options: { dateFormat: "MM/DD/YYYY", isCustomDateFormat: false, ...NO_TIME },
  },
  {
    given: ["07/09/2023", "22/10/2023"],
    type: "Date",
    values: [day("2023-09-07"), day("2023-10-22")],
    options: { dateFormat: "DD/MM/YYYY", isCustomDateFormat: true, ...NO_TIME },
  },
  {
    given: ["7/9/2023", "10/12/2023"],
    type: "Date",
    options: { dateFormat: "M/D/YYYY", isCustomDateFormat: true, ...NO_TIME },
  },
  {
    given: ["9.7.2023", "22.10.2023"],
    type: "Date",
    options: { dateFormat: "D.M.YYYY", isCustomDateFormat: true, ...NO_TIME },
  },
  { given: ["9 Jul 2023"], type: "Date", options: { dateFormat: "D MMM YYYY", isCustomDateFormat: true, ...NO_TIME } },
  {
    given: ["July 9th, 2023"],
    type: "Date",
    options: { dateFormat: "MMMM Do, YYYY", isCustomDateFormat: false, ...NO_TIME },
  },
  { given: ["july 9, 2023"], type: "Text" },
  { given: ["2023-07-09", "9 Jul 2023"], type: "Text" },
  { given: ["2023-02-30"], type: "Text" },
  { given: ["July"], type: "Text" },
  {
    given: ["2023-07-09 14:30"],
    type: "DateTime:UTC",
    values: [day("2023-07-09") + 52_200],
    options: {
      dateFormat: "YYYY-MM-DD",
      isCustomDateFormat: false,
      timeFormat: "HH:mm",
      isCustomTimeFormat: false,
    },
  },
  {
    given: ["07/09/2023 2:30 PM"],
    type: "DateTime:UTC",
    options: { dateFormat: "MM/DD/YYYY", isCustomDateFormat: false, timeFormat: "h:mm A", isCustomTimeFormat: true },
  },
  { given: ["2023-07-09T14:30:00"], type: "Text" },
  { given: [3, 4.5], type: "Numeric", values: [3, 4.5] },
  { given: [true, null], type: "Numeric", values: [1, null] },
  { given: [3, "4", ""], type: "Numeric", values: [3, 4, null] },
  { given: [3, "x"], type: "Text", values: ["3", "x"] },
  { given: [["L", "a", 1], null], type: "Text", values: ["['a', 1]", null] },
  { given: [["d", 86_400]], type: "Text", values: ["1970-01-02"] },
];

for (const { given, type, values, options } of GUESSES) {
  test(`${JSON.stringify(given)} makes ${type}`, () => {
    const guess = guessColumn(given, EN);
    expect(guess?.type ?? null).toBe(type);
    expect(guess?.widgetOptions).toEqual(options);
    if (values) expect(guess?.values).toEqual(values);
    else if (type === "Text") expect(guess?.values).toEqual(given);
  });
}

test("parses dates with times in the document's zone", () => {
  const guess = guessColumn(["2023-07-09 14:30"], { ...EN, timezone: "America/New_York" });
  expect(guess).toMatchObject({ type: "DateTime:America/New_York", values: [day("2023-07-09") + 66_600] });
});

test("parses numbers in the document's locale", () => {
  const german = { ...EN, locale: "de-DE", currency: "EUR" };
  expect(guessColumn(["1.234,50"], german)).toMatchObject({ type: "Numeric", values: [1234.5] });
  expect(guessColumn(["4,20 €"], german)).toMatchObject({ type: "Numeric", values: [4.2] });
  expect(guessColumn(["$4.20"], german)).toMatchObject({ type: "Text" });
});

test("infers ten thousand values quickly, irregular ones too", () => {
  const dates = Array.from({ length: 10_000 }, (_, index) => new Date(index * 9e8).toISOString().slice(0, 10));
  const odd = ["1-".repeat(10_000), "a1".repeat(10_000), "(".repeat(10_000)];
  const ms = cpuMs(() => {
    guessColumn(dates, EN);
    guessColumn(odd, EN);
  });
  expect(ms).toBeLessThan(1000);
});

test.each(["1’234.50", "1'234.50"])("%s is a number where an apostrophe separates groups", (text) => {
  const guess = guessColumn([text], { ...EN, locale: "de-CH" });
  expect(guess?.type).toBe("Numeric");
  expect(guess?.widgetOptions).toEqual({ numMode: "decimal", decimals: 2 });
});
