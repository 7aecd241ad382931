import { zoneOrUtc } from "../../values/zones.ts";
import { currentContext, currentSeconds } from "../runtime/evaluation-context.ts";
import { PyDate } from "../dates/date.ts";
import { PyDateTime } from "../dates/datetime.ts";
import { dayNumber } from "../dates/days.ts";
import { PyTime } from "../dates/time.ts";
import { PyTimedelta } from "../dates/timedelta.ts";
import { PyZone } from "../dates/tzinfo.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { pyRepr, type PyValue, typeName } from "../runtime/values.ts";
import { parseDateText } from "./date-text.ts";

/**
 * Returns the zone with this name; for None the document's zone, or UTC if that is unknown. Throws PyError KeyError.
 */
export const requireZone = (name: PyValue | undefined): PyZone =>
  name === null || name === undefined ? PyZone.of(zoneOrUtc(currentContext().timezone)) : PyZone.named(name);

/** Returns the current time in the zone. */
export const nowIn = (zone: PyZone): PyDateTime => PyDateTime.fromTimestamp(currentSeconds(), zone);

/** Returns the day that missing parts of a date text are taken from: today in the document's zone. */
const today = (): number => nowIn(requireZone(null)).day;

/** Parses a text as a naive datetime. Throws PyError ParserError. */
export function readDateText(text: string): PyDateTime {
  return new PyDateTime(parseDateText(text, today));
}

/**
 * Converts a date, a datetime, a time (today) or a text to a datetime; only aware datetimes stay aware. Throws PyError
 * ParserError for invalid texts, ValueError for other values.
 */
export function toDateTime(value: PyValue | undefined): PyDateTime {
  if (value instanceof PyDateTime) return value;
  if (value instanceof PyDate) return new PyDateTime({ day: value.day, micros: 0 });
  if (value instanceof PyTime) return new PyDateTime({ day: today(), micros: value.micros }, value.tz);
  if (typeof value === "string") return readDateText(value);
  throw valueError(`${pyRepr(value ?? null)} is no date`);
}

/** Like `toDateTime`, but rejects times of day, which have no date. */
export function toDay(value: PyValue | undefined): number {
  if (value instanceof PyTime) throw valueError(`${pyRepr(value)} is no date`);
  return toDateTime(value).day;
}

/** Like `toDateTime`, but aware: naive values and texts are in the zone with this name. */
export function toAwareDateTime(value: PyValue | undefined, zoneName: PyValue | undefined): PyDateTime {
  const time = toDateTime(value);
  return time.tz ? time : new PyDateTime(time, requireZone(zoneName));
}

/** Parses a text, and nothing else, as a time in the zone with this name. */
export function requireDateText(text: PyValue | undefined, zoneName: PyValue | undefined): PyDateTime {
  if (typeof text !== "string") throw typeError(`Parser must be a string, not ${typeName(text ?? null)}`);
  const time = readDateText(text);
  return new PyDateTime(time, requireZone(zoneName));
}

/** Day 0 of spreadsheet serial numbers: 1899-12-30. */
export const SERIAL_EPOCH = dayNumber(1899, 12, 30);

/** Returns the serial number as a float, with the UTC time of day as fraction. */
export function serialOf(value: PyDate): number {
  const micros = toDateTime(value).utcMicros - new PyDateTime({ day: SERIAL_EPOCH, micros: 0 }).utcMicros;
  return new PyTimedelta(micros).totalSeconds / 86_400;
}
