import { isDay, midnightOf } from "../../values/calendar.ts";
import { englishForm, monthOfName } from "./month-names.ts";

/** Which of day and month comes first in `05/06/2024`. */
export type DateOrder = "dmy" | "mdy";

/** How one text reads as a date, perhaps with a time of day. */
export interface DateText {
  /** Midnight of the day in seconds since the epoch, with the day first; NaN where there is no such day. */
  readonly dayFirst: number;
  /** As `dayFirst`, with the month first. The same where the form leaves no choice. */
  readonly monthFirst: number;
  /** Seconds since midnight; undefined for a date without a time. */
  readonly timeS: number | undefined;
  /** Seconds to add to UTC; undefined where the text does not say. */
  readonly offsetS: number | undefined;
  readonly form: DateForm;
}

/** How a date is written, apart from its numbers. */
export interface DateForm {
  /** Letters in place of the numbers: `D.M.YYYY`, `A/B/YY` where the order is open, `N D, YYYY` with a name. */
  readonly date: string;
  /** `h` for hours with a half of the day; empty without a time. */
  readonly time: string;
  /** True for a number of one digit, false for one with a leading zero, undefined for 10 and more. */
  readonly isBareDay: boolean | undefined;
  readonly isBareHour: boolean | undefined;
  /** The form of an English name of a month; null for names in other languages. */
  readonly name: "short" | "long" | "both" | null | undefined;
}

/** No date is longer; it bounds the time spent on long texts. */
const MAX_LENGTH = 60;

const NUMERIC = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:(?:T|,? )(\d.*))?$/;
const DAY_NAME =
  /^(\d{1,2})(\.|st|nd|rd|th|er|º)?( |-|\/| de )(\p{L}{3,10})(\.?,?)( |-|\/| de | del )(\d{4}|\d\d)(?:(?:T|,? )(\d.*))?$/u;
const NAME_DAY = /^(\p{L}{3,9})(\.?) (\d{1,2})(st|nd|rd|th)?(,?) (\d{4})(?:(?:T|,? )(\d.*))?$/u;
const TIME =
  /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:( ?)([AaPp])(\.?[Mm]\.?))?(?: ?(Z|UTC|GMT|[-+]\d\d(?::?\d\d)?))?$/;

/** Reads a text as a date; undefined when it is none in either order. */
export function readDate(text: string): DateText | undefined {
  if (text.length < 6 || text.length > MAX_LENGTH) return undefined;
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) return readNumeric(text) ?? readDayName(text);
  return readNameDay(text);
}

interface Day {
  readonly dayFirst: number;
  readonly monthFirst: number;
  readonly date: string;
  readonly bare: readonly string[];
  readonly name?: string;
}

function readNumeric(text: string): DateText | undefined {
  const found = NUMERIC.exec(text);
  if (!found) return undefined;
  const [, one = "", sign = "", two = "", three = "", time] = found;
  if (one.length === 4) {
    if (three.length > 2) return undefined;
    const day = dayOf(one, two, three);
    return withTime({ dayFirst: day, monthFirst: day, date: `YYYY${sign}M${sign}D`, bare: [two, three] }, time);
  }
  if (one.length > 2 || (three.length !== 4 && three.length !== 2)) return undefined;
  const dayFirst = dayOf(three, two, one);
  const year = "Y".repeat(three.length);
  // Nobody writes the month first with points.
  if (sign === ".") return withTime({ dayFirst, monthFirst: dayFirst, date: `D.M.${year}`, bare: [one, two] }, time);
  const monthFirst = dayOf(three, one, two);
  return withTime({ dayFirst, monthFirst, date: `A${sign}B${sign}${year}`, bare: [one, two] }, time);
}

function readDayName(text: string): DateText | undefined {
  const found = DAY_NAME.exec(text);
  if (!found) return undefined;
  const [, day = "", ordinal = "", gap = "", name = "", end = "", second = "", year = "", time] = found;
  const month = monthOfName(name);
  if (month === undefined) return undefined;
  const seconds = dayOf(year, month, day);
  const date = `D${ordinal === "." || ordinal === "" ? ordinal : "o"}${gap}N${end}${second}${"Y".repeat(year.length)}`;
  return withTime({ dayFirst: seconds, monthFirst: seconds, date, bare: [day], name }, time);
}

function readNameDay(text: string): DateText | undefined {
  const found = NAME_DAY.exec(text);
  if (!found) return undefined;
  const [, name = "", point = "", day = "", ordinal = "", comma = "", year = "", time] = found;
  const month = monthOfName(name);
  if (month === undefined) return undefined;
  const seconds = dayOf(year, month, day);
  const date = `N${point} D${ordinal === "" ? "" : "o"}${comma} YYYY`;
  return withTime({ dayFirst: seconds, monthFirst: seconds, date, bare: [day], name }, time);
}

/** Midnight of a day; NaN when there is none. Years of two digits are those from 1969 to 2068. */
function dayOf(yearText: string, month: string | number, day: string): number {
  const digits = Number(yearText);
  const year = yearText.length === 2 ? digits + (digits <= 68 ? 2000 : 1900) : digits;
  return isDay(year, Number(month), Number(day)) ? midnightOf(year, Number(month), Number(day)) : Number.NaN;
}

function withTime({ dayFirst, monthFirst, date, bare, name }: Day, text: string | undefined): DateText | undefined {
  if (Number.isNaN(dayFirst) && Number.isNaN(monthFirst)) return undefined;
  const shape = { date, isBareDay: bareness(bare), name: name === undefined ? undefined : englishForm(name) };
  if (text === undefined) {
    const form = { ...shape, time: "", isBareHour: undefined };
    return { dayFirst, monthFirst, timeS: undefined, offsetS: undefined, form };
  }
  const time = readTime(text);
  if (!time) return undefined;
  return { dayFirst, monthFirst, ...time.moment, form: { ...shape, time: time.form, isBareHour: time.isBareHour } };
}

function readTime(text: string) {
  const found = TIME.exec(text);
  if (!found) return undefined;
  const [, hour = "", minute = "", second, fraction, gap = "", half, m = "", zone] = found;
  const hours = hoursOf(Number(hour), half?.toLowerCase());
  const wholeS = Number(second ?? 0);
  if (hours === undefined || Number(minute) > 59 || wholeS > 59) return undefined;
  const timeS = hours * 3600 + Number(minute) * 60 + wholeS + (fraction === undefined ? 0 : Number(`0.${fraction}`));
  const seconds = second === undefined ? "" : `:ss${fraction === undefined ? "" : `.${"S".repeat(fraction.length)}`}`;
  const end = half === undefined ? "" : `${gap}${half === half.toUpperCase() ? "A" : "a"}`;
  return {
    moment: { timeS, offsetS: zone === undefined ? undefined : offsetOf(zone) },
    // Points within "p.m." cannot be shown.
    form: `${half === undefined ? "H" : "h"}:mm${seconds}${m.length > 1 ? end.trim() : end}`,
    isBareHour: bareness([hour]),
  };
}

function hoursOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour > 23 ? undefined : hour;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === "p" ? 12 : 0);
}

function offsetOf(zone: string): number {
  const found = /^([-+])(\d\d):?(\d\d)?$/.exec(zone);
  if (!found) return 0;
  const seconds = Number(found[2]) * 3600 + Number(found[3] ?? 0) * 60;
  return found[1] === "-" ? -seconds : seconds;
}

function bareness(numbers: readonly string[]): boolean | undefined {
  if (numbers.some((text) => text.length === 1)) return true;
  return numbers.some((text) => text.startsWith("0")) ? false : undefined;
}
