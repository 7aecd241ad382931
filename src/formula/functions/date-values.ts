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

/** The zone with this name; the document's, which may be one that is not known here, for None. Throws PyError KeyError. */
export const requireZone = (name: PyValue | undefined): PyZone =>
  name === null || name === undefined ? PyZone.of(zoneOrUtc(currentContext().timezone)) : PyZone.named(name);

/** The clock of the zone at this moment. */
export const nowIn = (zone: PyZone): PyDateTime => PyDateTime.fromTimestamp(currentSeconds(), zone);

/** The day that missing parts of a text are taken from: today, by the document's clock. */
const today = (): number => nowIn(requireZone(null)).day;

/** A text as a naive time. Throws PyError ParserError when it is none. */
export function readDateText(text: string): PyDateTime {
  return new PyDateTime(parseDateText(text, today));
}

/**
 * A date, a datetime, a time (today) or a text as a datetime, aware only if it was. Throws PyError ParserError for texts
 * that are none, ValueError for other values.
 */
export function toDateTime(value: PyValue | undefined): PyDateTime {
  if (value instanceof PyDateTime) return value;
  if (value instanceof PyDate) return new PyDateTime({ day: value.day, micros: 0 });
  if (value instanceof PyTime) return new PyDateTime({ day: today(), micros: value.micros }, value.tz);
  if (typeof value === "string") return readDateText(value);
  throw valueError(`${pyRepr(value ?? null)} is no date`);
}

/** As `toDateTime` without times of day, which have no date. */
export function toDay(value: PyValue | undefined): number {
  if (value instanceof PyTime) throw valueError(`${pyRepr(value)} is no date`);
  return toDateTime(value).day;
}

/** As `toDateTime`, aware: what has no zone of its own, or is a text, is time of the zone with this name. */
export function toAwareDateTime(value: PyValue | undefined, zoneName: PyValue | undefined): PyDateTime {
  const time = toDateTime(value);
  return time.tz ? time : new PyDateTime(time, requireZone(zoneName));
}

/** What a text, and only a text, says, as time of the zone with this name. */
export function requireDateText(text: PyValue | undefined, zoneName: PyValue | undefined): PyDateTime {
  if (typeof text !== "string") throw typeError(`Parser must be a string, not ${typeName(text ?? null)}`);
  const time = readDateText(text);
  return new PyDateTime(time, requireZone(zoneName));
}

/** The day from which spreadsheets count: 1899-12-30. */
export const SERIAL_EPOCH = dayNumber(1899, 12, 30);

/** Days since that day, with the time of day by UTC as fraction; a float. */
export function serialOf(value: PyDate): number {
  const micros = toDateTime(value).utcMicros - new PyDateTime({ day: SERIAL_EPOCH, micros: 0 }).utcMicros;
  return new PyTimedelta(micros).totalSeconds / 86_400;
}
