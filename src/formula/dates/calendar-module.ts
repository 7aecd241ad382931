import { isValidDate, MONTHS, WEEKDAYS } from "../../values/calendar.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { defineFunction, type Signature } from "../runtime/signature.ts";
import { itemsOf, PyList, PyTuple, type PyValue } from "../runtime/values.ts";
import { dayNumber, daysInMonth, padded, weekdayOf, requirePart } from "./days.ts";

const YEAR_MONTH = { required: ["year", "month"] } as const;
const WIDTHS = [
  ["w", 0n],
  ["l", 0n],
] as const;

const define = (
  name: string,
  signature: Signature,
  body: (args: readonly PyValue[]) => PyValue,
): readonly [string, PyValue] => [name, defineFunction(name, signature, body)];

/** Starting with Monday. */
const DAY_NAMES = WEEKDAYS.map((_, index) => WEEKDAYS[(index + 1) % 7] ?? "");
const short = (names: readonly string[]): string[] => names.map((name) => name.slice(0, 3));
const texts = (names: readonly string[]): PyTuple => new PyTuple(names);

/** The module `calendar`. Weeks start on Monday. */
export const CALENDAR_MODULE: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ...DAY_NAMES.map((name, index) => [name.toUpperCase(), BigInt(index)] as const),
  ["January", 1n],
  ["February", 2n],
  ["day_name", texts(DAY_NAMES)],
  ["day_abbr", texts(short(DAY_NAMES))],
  ["month_name", texts(["", ...MONTHS])],
  ["month_abbr", texts(["", ...short(MONTHS)])],
  define("firstweekday", {}, () => 0n),
  define("isleap", { required: ["year"] }, ([year]) => isLeap(requirePart(year))),
  define("leapdays", { required: ["y1", "y2"] }, ([from, to]) =>
    BigInt(leapYearsBefore(requirePart(to)) - leapYearsBefore(requirePart(from))),
  ),
  define("month", { ...YEAR_MONTH, optional: WIDTHS }, ([year, month, width, lines]) =>
    writeMonth(requireMonth(year, month), Math.max(2, requirePart(width)), Math.max(1, requirePart(lines))),
  ),
  define(
    "monthcalendar",
    YEAR_MONTH,
    ([year, month]) => new PyList(weeksOf(requireMonth(year, month)).map((week) => new PyList(week.map(BigInt)))),
  ),
  define("monthrange", YEAR_MONTH, ([year, month]) => {
    const { first, count } = requireMonth(year, month);
    return new PyTuple([BigInt(weekdayOf(first)), BigInt(count)]);
  }),
  define("timegm", { required: ["tuple"] }, ([parts = null]) => {
    const [year, month, day, hour, minute, second] = itemsOf(parts).slice(0, 6).map(requirePart);
    if (second === undefined) throw typeError("timegm() needs six numbers");
    const days = dayNumber(year ?? 1, month ?? 1, day ?? 1);
    return BigInt(((days * 24 + (hour ?? 0)) * 60 + (minute ?? 0)) * 60 + second);
  }),
  define("weekday", { required: ["year", "month", "day"] }, ([year, month, day]) => {
    const parts = [requirePart(year), requirePart(month), requirePart(day)] as const;
    if (!isValidDate(...parts)) throw valueError("day is out of range for month");
    return BigInt(weekdayOf(dayNumber(...parts)));
  }),
]);

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

function leapYearsBefore(year: number): number {
  const before = year - 1;
  return Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
}

interface Month {
  readonly year: number;
  readonly month: number;
  /** The first day, in days since 1970-01-01. */
  readonly first: number;
  /** The number of days. */
  readonly count: number;
}

function requireMonth(year: PyValue | undefined, month: PyValue | undefined): Month {
  const parts = { year: requirePart(year), month: requirePart(month) };
  if (parts.month < 1 || parts.month > 12) {
    throw new PyError("IllegalMonthError", `bad month number ${parts.month}; must be 1-12`);
  }
  if (parts.year < 1 || parts.year > 9999) throw valueError(`year ${parts.year} is out of range`);
  return { ...parts, first: dayNumber(parts.year, parts.month, 1), count: daysInMonth(parts.year, parts.month) };
}

/** Returns the days of a month by week, 0 for those of other months. */
function weeksOf({ first, count }: Month): number[][] {
  const before = weekdayOf(first);
  return Array.from({ length: Math.ceil((before + count) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, weekday) => {
      const day = week * 7 + weekday - before + 1;
      return day >= 1 && day <= count ? day : 0;
    }),
  );
}

/** Formats a month as a plain-text table. */
function writeMonth(month: Month, width: number, lines: number): string {
  const row = (cells: readonly string[]) => cells.map((cell) => center(cell, width)).join(" ");
  const title = center(`${MONTHS[month.month - 1] ?? ""} ${month.year}`, 7 * (width + 1) - 1).trimEnd();
  const names = row((width >= 9 ? DAY_NAMES : short(DAY_NAMES)).map((name) => name.slice(0, width)));
  const weeks = weeksOf(month).map((week) => row(week.map((day) => (day === 0 ? "" : padded(day, 1).padStart(2)))));
  return [title, names, ...weeks].map((line) => line.trimEnd() + "\n".repeat(lines)).join("");
}

/** Centers like Python: if the padding is odd, the extra space goes to the left when the width is odd. */
function center(text: string, width: number): string {
  const paddingLength = Math.max(0, width - text.length);
  const left = Math.floor(paddingLength / 2) + (paddingLength & width & 1);
  return " ".repeat(left) + text + " ".repeat(paddingLength - left);
}
