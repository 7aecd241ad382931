import { isValidDate, midnightOf, secondsOf, type CivilTime } from "./calendar.ts";
import type { Zone } from "./zones.ts";

/** The fields of an ISO 8601 text. */
interface IsoDateTime extends CivilTime {
  /** Offset from UTC in seconds; undefined if the text has none. */
  readonly offset: number | undefined;
}

const DATE = /^(\d{4})(?:-(\d{1,2})|(\d\d)(?!$))?(?:-(\d{1,2})|(\d\d))?(?:[ T](.+))?$/;
const TIME = /^(\d\d)(?::?(\d\d))?(?::?(\d{1,2})(?:[.,](\d+))?)?(Z|([-+])(\d\d):?(\d\d)?)?$/;

/** Returns midnight UTC of an ISO date, ignoring the time; undefined for other texts. */
export function parseIsoDate(text: string): number | undefined {
  const time = parseIso(text);
  return time && midnightOf(time.year, time.month, time.day);
}

/** Parses an ISO date-time; without an offset it is local time in `zone`. Returns undefined for other texts. */
export function parseIsoDateTime(text: string, zone: Zone): number | undefined {
  const time = parseIso(text);
  if (!time) return undefined;
  return time.offset === undefined ? zone.toUtc(time, "after") : secondsOf(time) - time.offset;
}

function parseIso(text: string): IsoDateTime | undefined {
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [, yearText, dashMonth, month, dashDay, day, rest] = match;
  const hasMonth = dashMonth !== undefined || month !== undefined;
  const hasDay = dashDay !== undefined || day !== undefined;
  if ((hasDay && !hasMonth) || (rest !== undefined && !hasDay)) return undefined;
  const date = { year: Number(yearText), month: Number(dashMonth ?? month ?? 1), day: Number(dashDay ?? day ?? 1) };
  if (!isValidDate(date.year, date.month, date.day)) return undefined;
  if (rest === undefined) return { ...date, hour: 0, minute: 0, second: 0, offset: undefined };
  const time = parseTime(rest);
  return time && { ...date, ...time };
}

function parseTime(text: string): Omit<IsoDateTime, "year" | "month" | "day"> | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [, hourText, minuteText = "0", secondText = "0", fraction = "", zone, sign, zoneHour, zoneMinute] = match;
  const hour = Number(hourText);
  const minute = Number(minuteText);
  const wholeSecond = Number(secondText);
  if (hour > 23 || minute > 59 || wholeSecond > 59) return undefined;
  const second = fraction ? Number(`${wholeSecond}.${fraction.slice(0, 6)}`) : wholeSecond;
  return { hour, minute, second, offset: zone === undefined ? undefined : offsetOf(sign, zoneHour, zoneMinute) };
}

function offsetOf(sign: string | undefined, hours = "0", minutes = "0"): number {
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  return sign === "-" ? -seconds : seconds;
}
