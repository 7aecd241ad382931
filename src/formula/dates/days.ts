import { civilTimeOf, DAY_S, isValidDate, midnightOf } from "../../values/calendar.ts";
import { overflowError, valueError } from "../runtime/errors.ts";
import { requireInt } from "../runtime/signature.ts";
import type { PyValue } from "../runtime/values.ts";

/** Calendar arithmetic on day numbers since 1970-01-01, within Python's range of years, 1 to 9999. */

/** Returns an argument that must be a 32-bit int, like all date parts. Throws PyError TypeError or OverflowError. */
export function requirePart(value: PyValue | undefined): number {
  const number = requireInt(value);
  if (BigInt.asIntN(32, number) !== number) throw overflowError("Python int too large to convert to C int");
  return Number(number);
}

/** The day numbers of 0001-01-01 and 9999-12-31. */
export const FIRST_DAY = -719_162;
export const LAST_DAY = 2_932_896;

/** The ordinal of 1970-01-01, counting from 1 for 0001-01-01. */
export const EPOCH_ORDINAL = 719_163;

export interface DayParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export const partsOf = (day: number): DayParts => civilTimeOf(day * DAY_S);

/** Returns the number of a day. Throws PyError ValueError for invalid dates. */
export function dayOf(year: number, month: number, day: number): number {
  if (year < 1 || year > 9999) throw valueError(`year ${year} is out of range`);
  if (month < 1 || month > 12) throw valueError("month must be in 1..12");
  if (!isValidDate(year, month, day)) throw valueError("day is out of range for month");
  return dayNumber(year, month, day);
}

/** Like `dayOf`, but out-of-range months and days overflow into adjacent ones. */
export const dayNumber = (year: number, month: number, day: number): number => midnightOf(year, month, day) / DAY_S;

/** Throws PyError OverflowError for days out of the range of dates. */
export function checkDay(day: number): number {
  if (!(day >= FIRST_DAY && day <= LAST_DAY)) throw overflowError("date value out of range");
  return day;
}

/** Returns 0 for Monday to 6 for Sunday; 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7;

/** Returns 1 for the first of January. */
export const dayOfYear = (day: number): number => day - dayNumber(partsOf(day).year, 1, 1) + 1;

export const daysInMonth = (year: number, month: number): number =>
  dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);

export interface IsoWeek {
  readonly year: number;
  readonly week: number;
  /** 1 for Monday. */
  readonly weekday: number;
}

/** Returns the ISO week of a day: week 1 contains the year's first Thursday. */
export function isoWeekOf(day: number): IsoWeek {
  const weekday = weekdayOf(day) + 1;
  const { year } = partsOf(day - weekday + 4);
  return { year, week: Math.floor((day - isoYearStart(year)) / 7) + 1, weekday };
}

/** Returns the Monday of a year's first ISO week. */
export function isoYearStart(year: number): number {
  const january4 = dayNumber(year, 1, 4);
  return january4 - weekdayOf(january4);
}

/** Returns the day of an ISO week date. Throws PyError ValueError for invalid dates. */
export function dayOfIsoWeek(year: number, week: number, weekday: number): number {
  if (year < 1 || year > 9999) throw valueError(`Year is out of range: ${year}`);
  const weeks = (isoYearStart(year + 1) - isoYearStart(year)) / 7;
  if (week < 1 || week > weeks) throw valueError(`Invalid week: ${week}`);
  if (weekday < 1 || weekday > 7) throw valueError(`Invalid weekday: ${weekday} (range is [1, 7])`);
  const day = isoYearStart(year) + (week - 1) * 7 + weekday - 1;
  if (day < FIRST_DAY || day > LAST_DAY) throw valueError("the week is out of range");
  return day;
}

/** Microseconds per day and per second. */
export const DAY_US = 86_400_000_000;
export const SECOND_US = 1_000_000;

export interface ClockParts {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly microsecond: number;
}

/** Splits microseconds since midnight into hour, minute, second and microsecond. */
export function clockOf(micros: number): ClockParts {
  const seconds = Math.floor(micros / SECOND_US);
  return {
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    microsecond: micros % SECOND_US,
  };
}

/** Returns the microseconds since midnight. Throws PyError ValueError for invalid times. */
export function clockMicros({ hour, minute, second, microsecond }: ClockParts): number {
  if (!(hour >= 0 && hour <= 23)) throw valueError("hour must be in 0..23");
  if (!(minute >= 0 && minute <= 59)) throw valueError("minute must be in 0..59");
  if (!(second >= 0 && second <= 59)) throw valueError("second must be in 0..59");
  if (!(microsecond >= 0 && microsecond <= 999_999)) throw valueError("microsecond must be in 0..999999");
  return ((hour * 60 + minute) * 60 + second) * SECOND_US + microsecond;
}

/** Zero-pads years and time parts: `07`, `0042`. */
export const padded = (value: number, length = 2): string => value.toString().padStart(length, "0");
