import { civilTimeOf, DAY_S, midnightOf, startOfDay } from "../../values/calendar.ts";
import type { ParseSettings } from "../../values/column-type.ts";
import { parseDay, parseTimestamp } from "../../values/date-parse.ts";
import { parseDateTime } from "../../values/date-time-parse.ts";
import { parseIsoDate, parseIsoDateTime } from "../../values/iso-date.ts";
import { type Zone, zoneOrUtc } from "../../values/zones.ts";

/** Seconds since the epoch: a moment, or from the beginning of a day to before that of another. */
export type DateSpan =
  | { readonly kind: "moment"; readonly at: number }
  | { readonly kind: "days"; readonly from: number; readonly to: number };

/** Where and when texts mean a date. */
export interface DateContext {
  /** The zone is the document's. */
  readonly settings: ParseSettings;
  readonly nowMs: number;
  /** True for columns with a time of day. */
  readonly hasTime: boolean;
}

/** Days in the calendar, as seconds of their midnights in UTC: from the first to before the last. */
interface Days {
  readonly from: number;
  readonly to: number;
}

const UNITS = ["Week", "Month", "Quarter", "Year"] as const;
type Unit = (typeof UNITS)[number];

const DAY_OFFSETS: ReadonlyMap<string, number> = new Map([
  ["yesterday", -1],
  ["today", 0],
  ["tomorrow", 1],
]);

const UNIT_OFFSETS: ReadonlyMap<string, number> = new Map([
  ["last", -1],
  ["this", 0],
  ["next", 1],
]);

const UNIT_SPAN = new RegExp(`^(last|this|next)(${UNITS.join("|")})$`);
const DAY_COUNT = /^(last|next)([1-9]\d{0,3})days$/;

/** Examples of spans, for messages. */
export const SPAN_NAMES =
  "today, yesterday, tomorrow, last7days, next7days, thisWeek, lastMonth, nextQuarter, thisYear";

/** Returns the days that a name such as `today` or `last7days` means; undefined for other texts. */
export function namedSpan(name: string, context: DateContext): DateSpan | undefined {
  const days = namedDays(name, todayIn(context.settings.timezone, context.nowMs));
  return days && spanOf(days, context);
}

/** Returns the current day in a zone, as seconds of its midnight in UTC. */
export function todayIn(timezone: string, nowMs: number): number {
  const now = nowMs / 1000;
  return startOfDay(now + zoneOrUtc(timezone).offsetAt(now));
}

/** Returns the moment or day that a text means; undefined for texts that are not a date. */
export function parseDateSpan(text: string, context: DateContext): DateSpan | undefined {
  const { settings, hasTime } = context;
  const trimmed = text.trim();
  const timestamp = parseTimestamp(trimmed);
  if (timestamp !== undefined) return { kind: "moment", at: timestamp };
  const zone = zoneOf(settings);
  const day = ISO_DAY.test(trimmed) ? parseIsoDate(trimmed) : parseDay(trimmed, settings, zone);
  if (day !== undefined) return spanOf({ from: day, to: day + DAY_S }, context);
  const moment = parseIsoMoment(trimmed, zone) ?? parseDateTime(trimmed, zone, settings) ?? undefined;
  if (moment === undefined) return undefined;
  if (hasTime) return { kind: "moment", at: moment };
  const ownDay = startOfDay(moment + zone.offsetAt(moment));
  return spanOf({ from: ownDay, to: ownDay + DAY_S }, context);
}

const ISO_DAY = /^\d{4}-\d{1,2}-\d{1,2}$/;
const ISO_MOMENT = /^\d{4}-\d{1,2}-\d{1,2}[T ]/;

const parseIsoMoment = (text: string, zone: Zone): number | undefined =>
  ISO_MOMENT.test(text) ? parseIsoDateTime(text, zone) : undefined;

const zoneOf = ({ timezone }: ParseSettings): Zone => zoneOrUtc(timezone);

/** Cells of Date columns are midnights in UTC; days with a time begin at midnight in the document's zone. */
function spanOf({ from, to }: Days, { settings, hasTime }: DateContext): DateSpan {
  if (!hasTime) return { kind: "days", from, to };
  const zone = zoneOf(settings);
  const start = (day: number): number => zone.toUtc(civilTimeOf(day), "forward");
  return { kind: "days", from: start(from), to: start(to) };
}

function namedDays(name: string, today: number): Days | undefined {
  const offset = DAY_OFFSETS.get(name);
  if (offset !== undefined) return { from: today + offset * DAY_S, to: today + (offset + 1) * DAY_S };
  const counted = DAY_COUNT.exec(name);
  if (counted) {
    const length = Number(counted[2]) * DAY_S;
    const tomorrow = today + DAY_S;
    return counted[1] === "last" ? { from: tomorrow - length, to: tomorrow } : { from: today, to: today + length };
  }
  const [, direction = "", unit] = UNIT_SPAN.exec(name) ?? [];
  const steps = UNIT_OFFSETS.get(direction);
  if (steps === undefined) return undefined;
  return { from: unitStart(today, unit as Unit, steps), to: unitStart(today, unit as Unit, steps + 1) };
}

/** Returns the first day of the unit that contains a day, or of one some steps later. Weeks begin on Sunday. */
function unitStart(day: number, unit: Unit, steps: number): number {
  const { year, month } = civilTimeOf(day);
  switch (unit) {
    case "Week": {
      const weekday = (((day / DAY_S + 4) % 7) + 7) % 7;
      return day + (steps * 7 - weekday) * DAY_S;
    }
    case "Month":
      return monthStart(year * 12 + month - 1 + steps);
    case "Quarter":
      return monthStart(year * 12 + (Math.floor((month - 1) / 3) + steps) * 3);
    case "Year":
      return monthStart((year + steps) * 12);
    default:
      return unit satisfies never;
  }
}

const monthStart = (months: number): number => midnightOf(Math.floor(months / 12), (months % 12) + 1, 1);
