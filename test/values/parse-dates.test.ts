import { describe, expect, test } from "bun:test";
import { columnType, type ParseSettings } from "../../src/values/column-type.ts";
import { cpuMs } from "../helpers/cpu-time.ts";

/** Noon on May 20, 2025. */
const NOW_MS = Date.UTC(2025, 4, 20, 12);

function read(type: string, text: string, dateFormat?: string) {
  const settings: ParseSettings = {
    locale: "en-US",
    timezone: "UTC",
    nowMs: NOW_MS,
    ...(dateFormat !== undefined && { widgetOptions: { dateFormat } }),
  };
  return columnType(type).convert(columnType(type).parse(text, settings));
}

const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 1000;
const moment = (text: string) => Date.parse(text) / 1000;

/** Texts by column format with the date they represent; null if they stay texts. */
const DAYS: [format: string | undefined, text: string, day: string | null][] = [
  [undefined, "2023-07-09", "2023-07-09"],
  [undefined, "2023-7-9", "2023-07-09"],
  [undefined, "2023/07/09", "2023-07-09"],
  [undefined, "2023.07.09", "2023-07-09"],
  [undefined, "2023 07 09", "2023-07-09"],
  [undefined, "[2023_07_09]", "2023-07-09"],
  [undefined, "20230709", "2023-07-09"],
  [undefined, "  2023-07-09\n", "2023-07-09"],
  [undefined, "23-07-09", "2023-07-09"],
  ["L", "07/09/2023", "2023-07-09"],
  ["LL", "July 9, 2023", "2023-07-09"],
  ["ll", "Jul 9, 2023", "2023-07-09"],
  ["YYYY-DDDD", "2023-190", "2023-07-09"],
  ["YYYY-DDDD", "2023-366", null],
  ["YYYY-DDD", "2024-366", "2024-12-31"],
  ["YYYYDDDD", "2023190", "2023-07-09"],
  [undefined, "35-07-09", "2035-07-09"],
  [undefined, "36-07-09", "1936-07-09"],
  [undefined, "07-09", "2025-07-09"],
  [undefined, "9", "2025-05-09"],
  [undefined, "99", null],
  [undefined, "July 9, 2023", "2023-07-09"],
  [undefined, "JUL 9 2023", "2023-07-09"],
  [undefined, "9 july 2023", "2023-07-09"],
  [undefined, "9-Jul-2023", "2023-07-09"],
  [undefined, "July 9th, 2023", "2023-07-09"],
  [undefined, "22nd of July 2023", null],
  [undefined, "22nd July 2023", "2023-07-22"],
  [undefined, "July 22nd", "2025-07-22"],
  [undefined, "22 Jul", "2025-07-22"],
  [undefined, "2023 July 9", null],
  [undefined, "Jul 9 23", null],
  [undefined, "Juli 9 2023", null],
  [undefined, "July", null],
  [undefined, "Feb 29", null],
  [undefined, "Feb 29 2024", "2024-02-29"],
  [undefined, "2023-02-29", null],
  [undefined, "2023-13-09", null],
  [undefined, "2023-00-09", null],
  [undefined, "2023-07-32", null],
  [undefined, "09/07/2023", null],
  [undefined, "2023-W28-7", null],
  [undefined, "2023-07-09 14:30", "2023-07-09"],
  [undefined, "2023-07-09T23:59:59-11:00", "2023-07-09"],
  [undefined, "2023-07", "2023-07-01"],
  [undefined, "12:30", null],
  [undefined, "yesterday", null],
  [undefined, " ", null],
  [undefined, "-", null],
  ["DD/MM/YYYY", "09/07/2023", "2023-07-09"],
  ["DD/MM/YYYY", "9.7.2023", "2023-07-09"],
  ["DD/MM/YYYY", "09/07/23", "2023-07-09"],
  ["DD/MM/YYYY", "09/07", "2025-07-09"],
  ["DD/MM/YYYY", "07/22/2023", null],
  ["DD/MM/YYYY", "2023-07-09", "2023-07-09"],
  ["DD/MM/YYYY", "31/04/2023", null],
  ["MM/DD/YY", "07/22/23", "2023-07-22"],
  ["MM/DD/YY", "7/22/2023", "2023-07-22"],
  ["MM/DD/YY", "22/07/23", null],
  ["D MMM YYYY", "9 Jul 2023", "2023-07-09"],
  ["D MMM YYYY", "9 7 2023", "2023-07-09"],
  ["D MMM YYYY", "9 7 23", "2023-07-09"],
  ["MMMM Do, YYYY", "July 9th, 2023", "2023-07-09"],
  ["MMMM Do, YYYY", "July 9, 2023", "2023-07-09"],
  ["dddd, MMMM D YYYY", "Sunday, July 9 2023", "2023-07-09"],
  ["YYYYMMDD", "20230709", "2023-07-09"],
  ["DDMMYYYY", "09072023", "2023-07-09"],
  ["[Day] D.M.YYYY", "Day 9.7.2023", "2023-07-09"],
  ["MM/YYYY", "07/2023", "2023-07-01"],
  ["MMM YYYY", "Jul 2023", "2023-07-01"],
  ["", "2023-07-09", "2023-07-09"],
  ["Q YYYY", "3 2023", null],
  ["((((", "2023-07-09", "2023-07-09"],
];

test.each(DAYS)("with %p the text %j is %p", (format, text, named) => {
  expect(read("Date", text, format)).toBe(named === null ? text : day(named));
});

test.each<[string, number | string]>([
  ["1688860800", 1_688_860_800],
  ["168886080", 168_886_080],
  ["0168886080", "0168886080"],
  ["16888608001", "16888608001"],
])("%j as seconds is %p", (text, value) => {
  expect(read("Date", text)).toBe(value);
  expect(read("DateTime:Asia/Tokyo", text)).toBe(value);
});

describe("times", () => {
  const ZONE = "DateTime:Europe/Berlin";

  test.each<[text: string, time: string]>([
    ["2023-07-09", "2023-07-09T00:00+02:00"],
    ["July 9, 2023", "2023-07-09T00:00+02:00"],
    ["2023-07-09 14:30", "2023-07-09T14:30+02:00"],
    ["2023-01-09 14:30", "2023-01-09T14:30+01:00"],
    ["2023-07-09T14:30:15", "2023-07-09T14:30:15+02:00"],
    ["9 Jul 2023 2:30pm", "2023-07-09T14:30+02:00"],
    ["9 Jul 2023 2:30 PM", "2023-07-09T14:30+02:00"],
    ["9 Jul 2023 2 p", "2023-07-09T14:00+02:00"],
    ["9 Jul 2023 12am", "2023-07-09T00:00+02:00"],
    ["9 Jul 2023 12:05 pm", "2023-07-09T12:05+02:00"],
    ["2023-07-09 1430", "2023-07-09T14:30+02:00"],
    ["2023-07-09 930", "2023-07-09T09:30+02:00"],
    ["2023-07-09 9", "2023-07-09T09:00+02:00"],
    ["2023-07-09 24:00", "2023-07-10T00:00+02:00"],
    ["2023-07-09 14:30Z", "2023-07-09T14:30Z"],
    ["2023-07-09 14:30 UTC", "2023-07-09T14:30Z"],
    ["2023-07-09 14:30 gmt", "2023-07-09T14:30Z"],
    ["2023-07-09 14:30 +5", "2023-07-09T14:30+05:00"],
    ["2023-07-09 14:30 -05", "2023-07-09T14:30-05:00"],
    ["2023-07-09 14:30+0530", "2023-07-09T14:30+05:30"],
    ["2023-07-09 14:30 -11:00", "2023-07-09T14:30-11:00"],
    ["2023-07-09 14:30 CEST", "2023-07-09T14:30+02:00"],
    ["2023-07-09 14:30 CET", "2023-07-09T14:30+02:00"],
    ["2023-07-09T14:30:15.125Z", "2023-07-09T14:30:15.125Z"],
    // 02:00 to 03:00 on March 26 is skipped, and repeated on October 29.
    ["2023-03-26 02:30", "2023-03-26T03:30+02:00"],
    ["2023-10-29 02:30", "2023-10-29T02:30+02:00"],
  ])("%j is %s", (text, time) => {
    expect(read(ZONE, text)).toBe(moment(time));
  });

  test.each(["2023-07-09 25:00", "2023-07-09 14:60", "2023-07-09 14:30:75", "2023-07-09 24:01"])(
    "no clock shows %j",
    (text) => {
      expect(read(ZONE, text)).toBeNull();
    },
  );

  test.each(["14:30", "9:15", "2pm", "soon", "2023-07-09 noon", "2023-07-09 14:30 XYZ", "09.07.2023 14:30", " "])(
    "%j stays a text",
    (text) => {
      expect(read(ZONE, text)).toBe(text);
    },
  );

  test("use the column's date format", () => {
    expect(read(ZONE, "09.07.2023 14:30", "DD.MM.YYYY")).toBe(moment("2023-07-09T14:30+02:00"));
    expect(read(ZONE, "09.07.2023", "DD.MM.YYYY")).toBe(moment("2023-07-09T00:00+02:00"));
  });

  test("are UTC without a zone, or with an unknown one", () => {
    for (const type of ["DateTime", "DateTime:UTC", "DateTime:Nowhere/Land", "DateTime:"]) {
      expect(read(type, "2023-07-09 14:30")).toBe(moment("2023-07-09T14:30Z"));
    }
  });

  test("use today's date in the zone", () => {
    const settings = { locale: "en-US", timezone: "UTC", nowMs: Date.UTC(2025, 11, 31, 23) };
    const type = columnType("DateTime:Asia/Tokyo");
    expect(type.parse("Feb 3", settings)).toBe(moment("2026-02-03T00:00+09:00"));
  });
});

test("parses a thousand dates quickly", () => {
  const texts = Array.from({ length: 1000 }, (_, index) => new Date(index * 9e8).toISOString().slice(0, 16));
  const ms = cpuMs(() => {
    for (const text of texts) expect(read("DateTime:America/New_York", text)).toBeNumber();
  });
  expect(ms).toBeLessThan(500);
});

test("parses long texts and irregular formats in linear time", () => {
  const texts = [
    `2023${" ".repeat(100_000)}x`,
    `2023-07-09 ${"1".repeat(100_000)}x`,
    "-".repeat(100_000),
    "9".repeat(60),
  ];
  const formats = [undefined, "MDMDMDMD".repeat(5), "D".repeat(50), "[".repeat(1000), "MD".repeat(50_000)];
  const ms = cpuMs(() => {
    for (const text of texts) {
      for (const format of formats) {
        expect(read("Date", `${text}!`, format)).toBe(`${text}!`);
        expect(read("DateTime:Asia/Tokyo", `${text}!`, format)).toBe(`${text}!`);
      }
    }
  });
  expect(ms).toBeLessThan(1000);
});
