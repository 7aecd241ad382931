import { MONTHS, WEEKDAYS } from "../../values/calendar.ts";
import { PyDateTime } from "../dates/datetime.ts";
import { checkDay, dayNumber, DAY_US, partsOf, SECOND_US, weekdayOf } from "../dates/days.ts";
import { type LocalTime, shift } from "../dates/tzinfo.ts";
import { type PyError, valueError } from "../runtime/errors.ts";
import { PyIterator } from "../runtime/iteration.ts";
import { requireInt } from "../runtime/signature.ts";
import { type PyValue } from "../runtime/values.ts";
import { nowIn, toAwareDateTime, requireZone } from "./date-values.ts";
import { callTextMethod } from "./text-arguments.ts";
import { spendSteps } from "../runtime/budget.ts";

/** A duration in calendar and clock units. */
interface TimeDelta {
  readonly months: number;
  readonly days: number;
  readonly seconds: number;
}

type Unit = "year" | "month" | "week" | "day" | "hour" | "minute" | "second";

const LENGTHS: Readonly<Record<Unit, TimeDelta>> = {
  year: { months: 12, days: 0, seconds: 0 },
  month: { months: 1, days: 0, seconds: 0 },
  week: { months: 0, days: 7, seconds: 0 },
  day: { months: 0, days: 1, seconds: 0 },
  hour: { months: 0, days: 0, seconds: 3600 },
  minute: { months: 0, days: 0, seconds: 60 },
  second: { months: 0, days: 0, seconds: 1 },
};

interface SchedulePlan {
  readonly unit: Unit;
  /** The number of units per period. */
  readonly every: number;
  /** Offsets of the times from the start of a period. */
  readonly slots: readonly TimeDelta[];
}

/** Implements SCHEDULE: returns a generator of times. Throws PyError ValueError for an invalid schedule. */
export function schedule([text = null, start = null, count = null, end = null]: readonly PyValue[]): PyValue {
  const plan = parsePlan(text);
  const from = start === null ? nowIn(requireZone(null)) : toAwareDateTime(start, null);
  const until = end === null ? undefined : toAwareDateTime(end, null);
  return new PyIterator("generator", occurrences(plan, { from, until, count: Number(requireInt(count)) }));
}

interface ScheduleRange {
  readonly from: PyDateTime;
  readonly until: PyDateTime | undefined;
  readonly count: number;
}

/** Yields times in the order of the slots, up to the first one after the end. */
function* occurrences(
  { unit, every, slots }: SchedulePlan,
  { from, until, count }: ScheduleRange,
): Generator<PyValue, undefined> {
  const beginning = periodStart(from, unit);
  const length = LENGTHS[unit];
  let left = count;
  for (let period = 0; left > 0; period += every) {
    spendSteps(slots.length * 20);
    const base = addDelta(beginning, scaleDelta(length, period));
    for (const slot of slots) {
      const time = new PyDateTime(addDelta(base, slot), from.tz);
      if ((time.compare(from) ?? 0) < 0) continue;
      if (left <= 0 || (until && (time.compare(until) ?? 0) > 0)) return;
      left--;
      yield time;
    }
  }
}

const scaleDelta = ({ months, days, seconds }: TimeDelta, by: number): TimeDelta => ({
  months: months * by,
  days: days * by,
  seconds: seconds * by,
});

/** Adds months first, then days, which may overflow into the next months, then the time. */
function addDelta({ day, micros }: LocalTime, by: TimeDelta): LocalTime {
  const { year, month, day: dayInMonth } = partsOf(day);
  const moved = by.months === 0 ? day : dayNumber(year, month + by.months, dayInMonth);
  const time = shift({ day: moved + by.days, micros }, by.seconds * SECOND_US);
  checkDay(time.day);
  return time;
}

/** Returns the start of the year, month, week (on Sunday), … that contains a time. */
function periodStart({ day, micros }: LocalTime, unit: Unit): LocalTime {
  const { year, month } = partsOf(day);
  if (unit === "year") return { day: dayNumber(year, 1, 1), micros: 0 };
  if (unit === "month") return { day: dayNumber(year, month, 1), micros: 0 };
  if (unit === "week") return { day: day - ((weekdayOf(day) + 1) % 7), micros: 0 };
  const size = unit === "day" ? DAY_US : LENGTHS[unit].seconds * SECOND_US;
  return { day, micros: micros - (micros % size) };
}

const NAMED_PERIODS: ReadonlyMap<string, Unit> = new Map([
  ["annual", "year"],
  ["monthly", "month"],
  ["weekly", "week"],
  ["daily", "day"],
  ["hourly", "hour"],
]);

const isUnit = (word: string): word is Unit => Object.hasOwn(LENGTHS, word);

function parsePlan(value: PyValue): SchedulePlan {
  // Values other than strings have no such method, which gives formulas the right error.
  callTextMethod(value, "split", [":", 1n]);
  const text = typeof value === "string" ? value : "";
  spendSteps(text.length * 4);
  const [, period = "", slots = ""] = /^([^:]*):([^]*)$/.exec(text) ?? [];
  const found = parsePeriod(period.trim().toLowerCase());
  if (!found) throw valueError(`Schedule must begin with a period and a colon: ${text}`);
  return { ...found, slots: slots.split(",").map((slot) => parseSlot(slot.trim(), found.unit)) };
}

function parsePeriod(text: string): { unit: Unit; every: number } | undefined {
  const named = NAMED_PERIODS.get(text);
  if (named) return { unit: named, every: 1 };
  const [, count = "", word = ""] = /^(\d{1,6})[- ]([a-z]+?)s?$/.exec(text) ?? [];
  return isUnit(word) && Number(count) > 0 ? { unit: word, every: Number(count) } : undefined;
}

type ParsePart = (text: string) => TimeDelta | undefined;

const delta = (parts: Partial<TimeDelta>): TimeDelta => ({ months: 0, days: 0, seconds: 0, ...parts });

/** `+5d` */
const parseRelative: ParsePart = (text) => {
  const [, count = "", letter = ""] = /^\+(\d{1,6})([ymwdHMS])$/.exec(text) ?? [];
  const unit = RELATIVE.get(letter);
  return unit && scaleDelta(LENGTHS[unit], Number(count));
};

const RELATIVE: ReadonlyMap<string, Unit> = new Map([
  ["y", "year"],
  ["m", "month"],
  ["w", "week"],
  ["d", "day"],
  ["H", "hour"],
  ["M", "minute"],
  ["S", "second"],
]);

/** `9:30am`, `17:00`, `3pm` */
const parseClock: ParsePart = (text) => {
  const [, hours, minutes, half] = /^(\d{1,2})(?::(\d\d))?(am|pm)?$/i.exec(text) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined)) return undefined;
  const limit = half === undefined ? 23 : 12;
  if (Number(hours) > limit || Number(minutes ?? 0) > 59) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  return delta({ seconds: hour * 3600 + Number(minutes ?? 0) * 60 });
};

/** `Jan-15`, `1/15` */
const parseDayOfYear: ParsePart = (text) => {
  const [, name, number, day] = /^(?:([a-z]+)-|(\d{1,2})\/)(\d{1,2})$/i.exec(text) ?? [];
  const month = name === undefined ? Number(number) : indexOfName(MONTHS, name, 3) + 1;
  if (!(month >= 1 && month <= 12)) return undefined;
  return dayOfMonth(day, { months: month - 1 });
};

/** `/15` */
const parseDayOfMonth: ParsePart = (text) => dayOfMonth(/^\/(\d{1,2})$/.exec(text)?.[1], {});

function dayOfMonth(text: string | undefined, more: Partial<TimeDelta>): TimeDelta | undefined {
  const day = Number(text ?? 0);
  return day >= 1 && day <= 31 ? delta({ ...more, days: day - 1 }) : undefined;
}

/** `Mo`, `Monday` */
const parseWeekday: ParsePart = (text) => {
  const weekday = indexOfName(WEEKDAYS, text, 2);
  return weekday < 0 ? undefined : delta({ days: weekday });
};

/** `:15` */
const parseMinute: ParsePart = (text) => {
  const minutes = /^:(\d\d)$/.exec(text)?.[1];
  return minutes === undefined || Number(minutes) > 59 ? undefined : delta({ seconds: Number(minutes) * 60 });
};

function indexOfName(names: readonly string[], text: string, minLength: number): number {
  if (text.length < minLength) return -1;
  return names.findIndex((name) => name.toLowerCase().startsWith(text.toLowerCase()));
}

/** Parsers of the first part of a slot, besides `+5d`; a time of day may follow a day. */
const FIRST_PART_PARSERS: Readonly<Partial<Record<Unit, ParsePart>>> = {
  year: parseDayOfYear,
  month: parseDayOfMonth,
  week: parseWeekday,
  day: parseClock,
  hour: parseMinute,
};

const UNITS_WITH_CLOCK: ReadonlySet<Unit> = new Set(["year", "month", "week"]);

function parseSlot(text: string, unit: Unit): TimeDelta {
  const invalidSlot = (part: string): PyError => valueError(`Schedule slot '${part}' is not understood`);
  if (text === "") throw invalidSlot(text);
  let hasClock = !UNITS_WITH_CLOCK.has(unit);
  let sum = delta({});
  for (const [index, part] of text.split(/\s+/).entries()) {
    let read = parseRelative(part) ?? (index === 0 ? FIRST_PART_PARSERS[unit]?.(part) : undefined);
    if (!read && index > 0 && !hasClock) {
      read = parseClock(part);
      hasClock = true;
    }
    if (!read) throw invalidSlot(part);
    sum = { months: sum.months + read.months, days: sum.days + read.days, seconds: sum.seconds + read.seconds };
  }
  return sum;
}
