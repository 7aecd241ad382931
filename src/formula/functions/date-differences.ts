import { isValidDate } from "../../values/calendar.ts";
import { readAttribute } from "../runtime/classes/attributes.ts";
import { PyDate } from "../dates/date.ts";
import { dayNumber, daysInMonth, partsOf } from "../dates/days.ts";
import { PyError, valueError } from "../runtime/errors.ts";
import { COMPARE } from "../runtime/operators.ts";
import { pyEquals, pyRepr, type PyValue } from "../runtime/values.ts";

/** Days since 1970-01-01. */
type Day = number;

/** Implements DATEDIF: a difference in whole units. Throws PyError ValueError for unknown units. */
export function dateDifference(start: Day, end: Day, unit: PyValue): number {
  const from = partsOf(start);
  const to = partsOf(end);
  const short = from.day > to.day ? 1 : 0;
  const months = (to.year - from.year) * 12 + to.month - from.month - short;
  const isEarlier = to.month < from.month || (to.month === from.month && short === 1);
  if (unit === "D") return end - start;
  if (unit === "M") return months;
  if (unit === "Y") return Math.floor(months / 12);
  if (unit === "MD") return end - dayNumber(to.year, to.month - short, from.day);
  if (unit === "YM") return ((months % 12) + 12) % 12;
  if (unit === "YD") return end - dayNumber(to.year - (isEarlier ? 1 : 0), from.month, from.day);
  throw valueError(`Invalid unit ${pyRepr(unit)}`);
}

/**
 * Implements YEARFRAC of two dates or two datetimes, in any order. Throws PyError TypeError for values without an
 * order, ValueError for unknown bases, and AttributeError for ordered values of other types.
 */
export function yearFraction(one: PyValue, other: PyValue, basis: PyValue): number {
  const [start, end] = COMPARE[">"](one, other) ? [other, one] : [one, other];
  const compute = BASES.find(([known]) => pyEquals(basis, known))?.[1];
  if (!compute) throw valueError(`Invalid basis argument ${pyRepr(basis)}`);
  return compute(dayOf(start), dayOf(end));
}

function dayOf(value: PyValue): Day {
  for (const name of ["year", "month", "day"]) readAttribute(value, name);
  if (!(value instanceof PyDate)) throw new PyError("AttributeError", `${pyRepr(value)} is no date`);
  return value.day;
}

const BASES: readonly (readonly [basis: bigint, (start: Day, end: Day) => number])[] = [
  [0n, (start, end) => daysOf360(start, end, true) / 360],
  [1n, (start, end) => (end - start) / averageYearLength(start, end)],
  [2n, (start, end) => (end - start) / 360],
  [3n, (start, end) => (end - start) / 365],
  [4n, (start, end) => daysOf360(start, end, false) / 360],
  [-1n, actualActualYears],
];

/** Returns the difference in days in a 30/360 year, by the American or the European convention. */
function daysOf360(start: Day, end: Day, american: boolean): number {
  const from = partsOf(start);
  const to = partsOf(end);
  const isLastOfFebruary = (day: typeof from) => day.month === 2 && day.day === daysInMonth(day.year, 2);
  let { day: fromDay } = from;
  let { day: toDay } = to;
  if (american) {
    if (isLastOfFebruary(from)) {
      if (isLastOfFebruary(to)) toDay = 30;
      fromDay = 30;
    }
    if (toDay === 31 && fromDay >= 30) toDay = 30;
  } else {
    toDay = Math.min(toDay, 30);
  }
  fromDay = Math.min(fromDay, 30);
  return (to.year - from.year) * 360 + (to.month - from.month) * 30 + toDay - fromDay;
}

const yearLength = (year: number): number => (isValidDate(year, 2, 29) ? 366 : 365);

/**
 * Returns the average length of the years spanned; for at most one year, the length of the year that contains the days.
 */
function averageYearLength(start: Day, end: Day): number {
  const from = partsOf(start);
  const to = partsOf(end);
  const isNextYear = from.year + 1 === to.year;
  const upToAYear = isNextYear && (from.month > to.month || (from.month === to.month && from.day >= to.day));
  if (from.year === to.year) return yearLength(from.year);
  if (upToAYear) return hasLeapDay(start, end, from.year) || hasLeapDay(start, end, to.year) ? 366 : 365;
  return (dayNumber(to.year + 1, 1, 1) - dayNumber(from.year, 1, 1)) / (to.year - from.year + 1);
}

function hasLeapDay(start: Day, end: Day, year: number): boolean {
  const leapDay = dayNumber(year, 2, 29);
  return yearLength(year) === 366 && start <= leapDay && leapDay <= end;
}

/** Each day counts as a fraction of its own year. */
function actualActualYears(start: Day, end: Day): number {
  const from = partsOf(start);
  const to = partsOf(end);
  const elapsedYears = (day: Day, year: number) => (day - dayNumber(year, 1, 1)) / yearLength(year);
  return to.year - from.year + elapsedYears(end, to.year) - elapsedYears(start, from.year);
}
