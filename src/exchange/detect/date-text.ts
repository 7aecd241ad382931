import { isValidDate, midnightOf } from "../../values/calendar.ts";
import { englishMonthNameForm, monthOfName } from "./month-names.ts";

/** Order of day and month in `05/06/2024`. */
export type DateOrder = "dmy" | "mdy";

/** A text parsed as a date with an optional time of day. */
export interface DateText {
  readonly day: ParsedDay;
  /** Undefined for a date without a time. */
  readonly time: ParsedTimeOfDay | undefined;
}

export interface ParsedDay {
  /** Midnight of the day in seconds since the epoch, interpreted day first; NaN if that day does not exist. */
  readonly dayFirst: number;
  /** Like `dayFirst`, interpreted month first. Equal to it if the form is unambiguous. */
  readonly monthFirst: number;
  /** The date format in letters: `D.M.YYYY`, `A/B/YY` if the order is ambiguous, `N D, YYYY` with a month name. */
  readonly form: string;
  /** True for a number of one digit, false for one with a leading zero, undefined for 10 and more. */
  readonly isUnpadded: boolean | undefined;
  /** The form of an English month name; null for names in other languages, undefined without a name. */
  readonly name: "short" | "long" | "both" | null | undefined;
}

export interface ParsedTimeOfDay {
  /** Since midnight. */
  readonly seconds: number;
  /** Offset from UTC in seconds; undefined if the text has none. */
  readonly offsetS: number | undefined;
  /** `H:mm`, or `h` for hours with AM or PM. */
  readonly form: string;
  readonly isUnpadded: boolean | undefined;
}

/** No date is longer; this bounds the parsing time of long texts. */
const MAX_DATE_LENGTH = 60;
const MIN_DATE_LENGTH = 6;

const NUMERIC = /^(\d{1,4})(\. |[./-])(\d{1,2})\2(\d{1,4})$/;
const DAY_NAME = /^(\d{1,2})(\.|st|nd|rd|th|er|º)?( |-|\/| de )(\p{L}{3,10})(\.?,?)( |-|\/| de | del )(\d{4}|\d\d)$/u;
const NAME_DAY = /^(\p{L}{3,10})(\.?) (\d{1,2})(st|nd|rd|th)?(,?) (\d{4})$/u;
const NAME_DASH_DAY = /^(\p{L}{3,10})-(\d{1,2})-(\d{4}|\d\d)$/u;
const TIME =
  /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:( ?)([AaPp])(\.?[Mm]\.?))?(?: ?(Z|UTC|GMT|(?:UTC|GMT)[-+]\d{1,2}(?::\d\d)?|[-+]\d\d(?::?\d\d)?))?$/;

/** Dates and times repeat within a file, and a cache lookup is faster than parsing. */
const MAX_CACHED = 5000;
const dayCache = new Map<string, ParsedDay | null>();
const timeCache = new Map<string, ParsedTimeOfDay | null>();

function cached<T>(cache: Map<string, T | null>, text: string, read: (text: string) => T | null): T | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const result = read(text);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, result);
  return result;
}

/** Parses a text as a date; returns undefined if it is invalid in either order. */
export function parseDateCandidate(text: string): DateText | undefined {
  if (text.length < MIN_DATE_LENGTH || text.length > MAX_DATE_LENGTH || !canStartDate(text)) return undefined;
  const start = timeStart(text);
  if (start < 0) return undefined;
  const day = cached(dayCache, start === 0 ? text : dateBefore(text, start), parseDay);
  if (!day) return undefined;
  if (start === 0) return { day, time: undefined };
  const time = cached(timeCache, text.slice(start), parseTimeOfDay);
  return time ? { day, time } : undefined;
}

/** `May-1-24` */
const MIN_NAMED_LENGTH = 8;
const MAX_MONTH_NAME_LENGTH = 10;

/** Returns true if a text contains a digit, or a month name before one. This rules most texts out cheaply. */
function canStartDate(text: string): boolean {
  if (isDigit(text.charCodeAt(0))) return true;
  if (text.length < MIN_NAMED_LENGTH) return false;
  const dash = text.indexOf("-");
  const isDash = dash >= 0 && dash <= MAX_MONTH_NAME_LENGTH;
  const gap = isDash ? dash : text.indexOf(" ");
  if (gap < 3 || gap > MAX_MONTH_NAME_LENGTH || !isDigit(text.charCodeAt(gap + 1))) return false;
  const end = text.charCodeAt(gap - 1) === 46 /* . */ ? gap - 1 : gap;
  return monthOfName(text.slice(0, end)) !== undefined;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Returns the offset at which the time of day begins; 0 without one, -1 if a colon is not part of a time. */
function timeStart(text: string): number {
  const colon = text.indexOf(":");
  if (colon < 0) return 0;
  let start = colon;
  while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
  const before = text.charAt(start - 1);
  return start > 1 && start < colon && (before === " " || before === "T") ? start : -1;
}

function dateBefore(text: string, start: number): string {
  const end = text.charAt(start - 1) === " " && text.charAt(start - 2) === "," ? start - 2 : start - 1;
  return text.slice(0, end);
}

function parseDay(text: string): ParsedDay | null {
  const day = isDigit(text.charCodeAt(0))
    ? (parseNumericDate(text) ?? parseDayMonthName(text))
    : parseMonthNameDay(text);
  return day && Number.isNaN(day.dayFirst) && Number.isNaN(day.monthFirst) ? null : day;
}

function parseNumericDate(text: string): ParsedDay | null {
  const match = NUMERIC.exec(text);
  if (!match) return null;
  const [, one = "", sign = "", two = "", three = ""] = match;
  const name = undefined;
  if (one.length === 4) {
    if (three.length > 2) return null;
    const day = dayOf(one, two, three);
    const isUnpadded = zeroPadding([two, three]);
    return { dayFirst: day, monthFirst: day, form: `YYYY${sign}M${sign}D`, isUnpadded, name };
  }
  if (one.length > 2 || (three.length !== 4 && three.length !== 2)) return null;
  const dayFirst = dayOf(three, two, one);
  const year = "Y".repeat(three.length);
  const isUnpadded = zeroPadding([one, two]);
  // No common format puts the month first with points as separators.
  if (sign.startsWith(".")) {
    return { dayFirst, monthFirst: dayFirst, form: `D${sign}M${sign}${year}`, isUnpadded, name };
  }
  return { dayFirst, monthFirst: dayOf(three, one, two), form: `A${sign}B${sign}${year}`, isUnpadded, name };
}

function parseDayMonthName(text: string): ParsedDay | null {
  const match = DAY_NAME.exec(text);
  if (!match) return null;
  const [, day = "", ordinal = "", gap = "", name = "", end = "", second = "", year = ""] = match;
  const form = `D${ordinal === "." || ordinal === "" ? ordinal : "o"}${gap}N${end}${second}${"Y".repeat(year.length)}`;
  return namedDay({ year, name, day, form });
}

function parseMonthNameDay(text: string): ParsedDay | null {
  const match = NAME_DAY.exec(text);
  if (!match) return readNameDashDay(text);
  const [, name = "", point = "", day = "", ordinal = "", comma = "", year = ""] = match;
  return namedDay({ year, name, day, form: `N${point} D${ordinal === "" ? "" : "o"}${comma} YYYY` });
}

function readNameDashDay(text: string): ParsedDay | null {
  const found = NAME_DASH_DAY.exec(text);
  if (!found) return null;
  const [, name = "", day = "", year = ""] = found;
  return namedDay({ year, name, day, form: `N-D-${"Y".repeat(year.length)}` });
}

function namedDay({
  year,
  name,
  day,
  form,
}: {
  year: string;
  name: string;
  day: string;
  form: string;
}): ParsedDay | null {
  const month = monthOfName(name);
  if (month === undefined) return null;
  const seconds = dayOf(year, month, day);
  return {
    dayFirst: seconds,
    monthFirst: seconds,
    form,
    isUnpadded: zeroPadding([day]),
    name: englishMonthNameForm(name),
  };
}

/** Returns midnight of a date; NaN if it does not exist. Two-digit years are between 1969 and 2068. */
function dayOf(yearText: string, month: string | number, day: string): number {
  const digits = Number(yearText);
  const year = yearText.length === 2 ? digits + (digits <= 68 ? 2000 : 1900) : digits;
  return isValidDate(year, Number(month), Number(day)) ? midnightOf(year, Number(month), Number(day)) : Number.NaN;
}

function parseTimeOfDay(text: string): ParsedTimeOfDay | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [, hour = "", minute = "", second, fraction, gap = "", half, m = "", zone] = match;
  const hours = hoursOf(Number(hour), half?.toLowerCase());
  const wholeS = Number(second ?? 0);
  if (hours === undefined || Number(minute) > 59 || wholeS > 59) return null;
  const seconds = second === undefined ? "" : `:ss${fraction === undefined ? "" : `.${"S".repeat(fraction.length)}`}`;
  const end = half === undefined ? "" : `${gap}${half === half.toUpperCase() ? "A" : "a"}`;
  return {
    seconds: hours * 3600 + Number(minute) * 60 + wholeS + (fraction === undefined ? 0 : Number(`0.${fraction}`)),
    offsetS: zone === undefined ? undefined : offsetOf(zone),
    // Points within "p.m." cannot be displayed.
    form: `${half === undefined ? "H" : "h"}:mm${seconds}${m.length > 1 ? end.trim() : end}`,
    isUnpadded: zeroPadding([hour]),
  };
}

function hoursOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour > 23 ? undefined : hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

function offsetOf(zone: string): number {
  const match = /([-+])(\d{1,2}):?(\d\d)?$/.exec(zone);
  if (!match) return 0;
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60;
  return match[1] === "-" ? -seconds : seconds;
}

function zeroPadding(numbers: readonly string[]): boolean | undefined {
  if (numbers.some((text) => text.length === 1)) return true;
  return numbers.some((text) => text.startsWith("0")) ? false : undefined;
}
