import { isValidDate } from "../../values/calendar.ts";
import { PyError } from "../runtime/errors.ts";
import { clockMicros, dayNumber, dayOfIsoWeek, SECOND_US } from "./days.ts";
import { PyTimezone, type PyTzInfo, UTC_TIMEZONE } from "./tzinfo.ts";

/**
 * The ISO 8601 formats that Python's `fromisoformat` methods accept. All functions return undefined for other formats.
 */

const DATE = /^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d)|-W(\d\d)(?:-(\d))?|W(\d\d)(\d)?)$/;

/** Returns the day number of `2022-05-31`, `20220531`, `2022-W22-2` or `2022W222`. */
export function parsePythonIsoDate(text: string): number | undefined {
  const match = DATE.exec(text);
  if (!match) return undefined;
  const [, year, month = match[4], day = match[5]] = match;
  const week = match[6] ?? match[8];
  const weekday = match[7] ?? match[9] ?? "1";
  if (week !== undefined) return undefinedOnError(() => dayOfIsoWeek(Number(year), Number(week), Number(weekday)));
  const parts = [Number(year), Number(month), Number(day)] as const;
  return isValidDate(...parts) ? dayNumber(...parts) : undefined;
}

const CLOCK = String.raw`(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?`;
const TIME = new RegExp(`^${CLOCK}(Z|[+-].*)?$`);
const OFFSET = new RegExp(`^${CLOCK}$`);

/** Parses a time of day with an optional UTC offset. */
export function parsePythonIsoTime(text: string): { micros: number; tz: PyTzInfo | null } | undefined {
  const match = TIME.exec(text);
  const micros = match && parseClock(match);
  if (micros === undefined || micros === null) return undefined;
  const zone = match?.[6];
  const tz = zone === undefined ? null : parseOffset(zone);
  return tz === undefined ? undefined : { micros, tz };
}

function parseClock([, hour, , minute, second, fraction]: RegExpExecArray): number | undefined {
  const microsecond = Number((fraction ?? "").slice(0, 6).padEnd(6, "0"));
  const parts = { hour: Number(hour), minute: Number(minute ?? 0), second: Number(second ?? 0), microsecond };
  return undefinedOnError(() => clockMicros(parts));
}

function parseOffset(text: string): PyTzInfo | undefined {
  if (text === "Z") return UTC_TIMEZONE;
  const match = OFFSET.exec(text.slice(1));
  const micros = match ? parseClock(match) : undefined;
  if (micros === undefined || micros >= 24 * 3600 * SECOND_US) return undefined;
  if (micros === 0) return UTC_TIMEZONE;
  return new PyTimezone(text.startsWith("-") ? -micros : micros);
}

/** Parses a date, any separator character and a time; or a date alone. */
export function parsePythonIsoDateTime(text: string): { day: number; micros: number; tz: PyTzInfo | null } | undefined {
  // A week date may be shorter, and its prefix may parse too; the longest valid date wins.
  for (const length of [10, 8, 7]) {
    const day = parsePythonIsoDate(text.slice(0, length));
    if (day === undefined) continue;
    if (text.length <= length) return { day, micros: 0, tz: null };
    const [separator = ""] = text.slice(length);
    const time = parsePythonIsoTime(text.slice(length + separator.length));
    if (time) return { day, ...time };
  }
  return undefined;
}

function undefinedOnError(read: () => number): number | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PyError) return undefined;
    throw error;
  }
}
