import { describe, expect, test } from "bun:test";
import { civilTimeOf, isValidDate, midnightOf, secondsOf } from "../../src/values/calendar.ts";
import { formatDate, ordinal } from "../../src/values/date-format.ts";
import { numberFormatter } from "../../src/values/number-format.ts";
import { numberLocale } from "../../src/values/number-locale.ts";
import { findZone, UTC, Zone } from "../../src/values/zones.ts";

const at = (text: string) => Date.parse(text) / 1000;

test.each<[format: string, text: string]>([
  ["YYYY-MM-DD", "2023-07-09"],
  ["D.M.YY", "9.7.23"],
  ["dddd, MMMM Do YYYY", "Sunday, July 9th 2023"],
  ["ddd DD MMM", "Sun 09 Jul"],
  ["HH:mm:ss", "14:05:09"],
  ["h:mma", "2:05pm"],
  ["hh:mm A", "02:05 PM"],
  ["H [o'clock] z", "14 o'clock UTC"],
  ["[Day] DDD [of] Y, Qo [quarter]", "Day 190 of 2023, 3rd quarter"],
  ["GGGG-[W]WW-E", "2023-W27-7"],
  ["gggg-ww e d dd", "2023-28 0 0 Su"],
  ["X x", "1688911509 1688911509250"],
  ["ss.SSS S", "09.250 2"],
  ["Z ZZ", "+00:00 +0000"],
  ["L, l; LT", "07/09/2023, 7/9/2023; 2:05 PM"],
  ["LL / ll [LL]", "July 9, 2023 / Jul 9, 2023 LL"],
  ["LLLL", "Sunday, July 9, 2023 2:05 PM"],
])("%j shows %j", (format, text) => {
  expect(formatDate(at("2023-07-09T14:05:09.250Z"), format)).toBe(text);
});

test.each<[zone: string, moment: string, text: string]>([
  ["Europe/Berlin", "2023-07-09T22:30Z", "2023-07-10 00:30 CEST +02:00"],
  ["Europe/Berlin", "2023-01-09T22:30Z", "2023-01-09 23:30 CET +01:00"],
  ["America/New_York", "2023-01-09T03:30Z", "2023-01-08 22:30 EST -05:00"],
  ["Australia/Sydney", "2023-01-09T03:30Z", "2023-01-09 14:30 AEDT +11:00"],
  ["Asia/Kolkata", "2023-01-09T03:30Z", "2023-01-09 09:00 IST +05:30"],
  ["Asia/Tokyo", "2023-01-09T03:30Z", "2023-01-09 12:30 JST +09:00"],
  ["Asia/Shanghai", "2023-01-09T03:30Z", "2023-01-09 11:30 CST +08:00"],
  ["Europe/Moscow", "2023-01-09T03:30Z", "2023-01-09 06:30 MSK +03:00"],
  ["America/Sao_Paulo", "2023-01-09T03:30Z", "2023-01-09 00:30 -03 -03:00"],
  ["Asia/Kathmandu", "2023-01-09T03:30Z", "2023-01-09 09:15 +0545 +05:45"],
])("in %s %s is %j", (zone, moment, text) => {
  expect(formatDate(at(moment), "YYYY-MM-DD HH:mm z Z", new Zone(zone))).toBe(text);
});

test("dates before the epoch, fractions and impossible moments", () => {
  expect(formatDate(-0.5, "YYYY-MM-DD HH:mm:ss.SS")).toBe("1969-12-31 23:59:59.50");
  expect(formatDate(1e15, "YYYY")).toBe("Invalid date");
  expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(ordinal).join(" ")).toBe(
    "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 101st 111th",
  );
});

describe("calendar", () => {
  test("round-trips every day", () => {
    for (let year = 1; year < 10_000; year += 37) {
      for (const [month, day] of [
        [1, 1],
        [2, 28],
        [12, 31],
      ] as const) {
        expect(civilTimeOf(midnightOf(year, month, day) + 0.25)).toEqual({
          year,
          month,
          day,
          hour: 0,
          minute: 0,
          second: 0.25,
        });
      }
    }
  });

  test("knows leap years", () => {
    expect([1900, 2000, 2023, 2024].map((year) => isValidDate(year, 2, 29))).toEqual([false, true, false, true]);
    expect([
      isValidDate(2023, 4, 31),
      isValidDate(2023, 0, 1),
      isValidDate(2023, 1, 0),
      isValidDate(0, 1, 1),
      isValidDate(10_000, 1, 1),
    ]).toEqual(Array(5).fill(false));
  });
});

describe("zones", () => {
  test("have the same offsets as Intl, hour by hour", () => {
    for (const name of ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"]) {
      const zone = new Zone(name);
      const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
      // The end of 2011, when Samoa skipped a day, and both transitions of a year.
      for (const start of ["2011-12-29T00:00Z", "2024-03-30T00:00Z", "2024-10-05T00:00Z", "2024-11-02T00:00Z"]) {
        for (let seconds = at(start); seconds < at(start) + 3 * 86_400; seconds += 1800) {
          const [, sign, hours, minutes] = /GMT(?:([+-])(\d+):(\d+))?/.exec(format.format(seconds * 1000)) ?? [];
          const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -60 : 60);
          expect(zone.offsetAt(seconds) + 0).toBe(offset + 0);
        }
      }
    }
  });

  test("round-trip local times, except for skipped ones", () => {
    const zone = new Zone("America/New_York");
    for (let seconds = at("2024-01-01T00:30Z"); seconds < at("2025-01-01T00:00Z"); seconds += 4 * 3600) {
      const local = civilTimeOf(seconds + zone.offsetAt(seconds));
      expect(zone.toUtc(local, "after")).toBe(seconds);
    }
    const skipped = civilTimeOf(at("2024-03-10T02:30Z"));
    expect(zone.toUtc(skipped, "forward")).toBe(at("2024-03-10T07:30Z"));
    expect(zone.toUtc(skipped, "after")).toBe(at("2024-03-10T06:30Z"));
    const twice = civilTimeOf(at("2024-11-03T01:30Z"));
    expect(zone.toUtc(twice, "forward")).toBe(at("2024-11-03T05:30Z"));
    expect(secondsOf(twice)).toBe(at("2024-11-03T01:30Z"));
  });

  test("are found by name only", () => {
    expect(findZone("Europe/Berlin")?.name).toBe("Europe/Berlin");
    expect(findZone("UTC")).toBe(UTC);
    for (const name of ["", "Nowhere/Land", "+02:00", "constructor", "Europe/Berlin; drop"])
      expect(findZone(name)).toBeNull();
  });
});

const NUMBERS: [options: Record<string, unknown>, value: number, text: string][] = [
  [{}, 1234.5, "1234.5"],
  [{}, 0.1 + 0.2, "0.3"],
  [{}, 1e21, "1000000000000000000000"],
  [{}, 1e-7, "0.0000001"],
  [{}, NaN, "NaN"],
  [{}, Infinity, "∞"],
  [{ decimals: 2 }, 5, "5.00"],
  [{ maxDecimals: 1 }, 2.25, "2.3"],
  [{ maxDecimals: 0 }, -2.5, "-3"],
  [{ decimals: 3, maxDecimals: 1 }, 2.25, "2.250"],
  [{ decimals: 99 }, 1, "1.00000000000000000000"],
  [{ decimals: -1, maxDecimals: "x" }, 1.5, "1.5"],
  [{ numMode: "decimal" }, 9876.54321, "9,876.543"],
  [{ numMode: "currency" }, 9876.5, "$9,876.50"],
  [{ numMode: "currency", decimals: 0 }, 9876, "$9,876"],
  [{ numMode: "currency", maxDecimals: 0 }, 9876.5, "$9,877"],
  [{ numMode: "percent" }, 0.256, "26%"],
  [{ numMode: "percent", decimals: 1 }, 0.3333, "33.3%"],
  [{ numMode: "scientific" }, 12_345, "1.235E4"],
  [{ numSign: "parens" }, -12, "(12)"],
  [{ numSign: "parens" }, 0, " 0 "],
  [{ numMode: "nonsense" }, 1234.56789, "1234.56789"],
];

test.each(NUMBERS)("with %j %p is %j", (options, value, text) => {
  expect(numberFormatter(options, numberLocale("en-US", undefined)).format(value)).toBe(text);
});

test("whole numbers have no decimals by default", () => {
  expect(numberFormatter({}, numberLocale("en-US", undefined), 0).format(2.5)).toBe("3");
  expect(numberFormatter({ numMode: "currency" }, numberLocale("de-DE", undefined)).format(-5)).toBe("-5,00\u00a0€");
});
