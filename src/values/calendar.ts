/** Dates and times of the proleptic Gregorian calendar as plain numbers; seconds are since the epoch. */

export const DAY_S = 86_400;

/** A date and a time of day without a zone. Months are 1 to 12. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** May have a fractional part. */
  readonly second: number;
}

/** Returns seconds since the epoch, interpreting the time as UTC. */
export function secondsOf(time: CivilTime): number {
  return midnightOf(time.year, time.month, time.day) + time.hour * 3600 + time.minute * 60 + time.second;
}

/** Returns seconds since the epoch at midnight UTC of a day. */
export function midnightOf(year: number, month: number, day: number): number {
  // Date.UTC maps the years 0 to 99 to 1900 to 1999; 400 years are a whole number of days.
  return year >= 0 && year < 100
    ? Date.UTC(year + 400, month - 1, day) / 1000 - 146_097 * DAY_S
    : Date.UTC(year, month - 1, day) / 1000;
}

/** Returns the calendar fields of a UTC timestamp. Works for every timestamp that a JavaScript Date can represent. */
export function civilTimeOf(seconds: number): CivilTime {
  const whole = Math.floor(seconds);
  const date = new Date(whole * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds() + (seconds - whole),
  };
}

/** Returns the start of the UTC day that contains a timestamp. */
export const startOfDay = (seconds: number): number => Math.floor(seconds / DAY_S) * DAY_S;

/** Returns true for dates that exist, in the years 1 to 9999. */
export function isValidDate(year: number, month: number, day: number): boolean {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Returns true for timestamps within the years 1 to 9999. */
export const isRepresentable = (seconds: number): boolean => seconds >= -62_135_596_800 && seconds < 253_402_300_800;

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

export const MONTHS: readonly string[] = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

export const WEEKDAYS: readonly string[] = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
];
