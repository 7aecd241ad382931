import { invalid } from "../../errors.ts";
import { civilTimeOf, DAY_S, midnightOf, startOfDay } from "../../values/calendar.ts";
import { type Zone, zoneOrUtc } from "../../values/zones.ts";
import { todayIn } from "../filters/date-spans.ts";

export interface RangeOptions {
  /** The type of the column: a date's with its zone. */
  readonly type: string;
  /** The document's, in which today is taken. */
  readonly timezone: string;
  readonly nowMs: number;
}

/** A part of a date relative to today: an offset in units, at the start or end of the unit. */
interface DateStep {
  readonly quantity: number;
  readonly unit: "day" | "week" | "month" | "year";
  readonly endOf?: boolean;
}

const UNITS = ["day", "week", "month", "year"];

/**
 * Returns the numbers that a range has at its ends, both of which belong to it. A bound is a number, or steps from today such as
 * `[{"quantity": -1, "unit": "month"}]`. Ranges of dates are about whole days, in the zone of the column.
 * @throws AppError `invalid` for other bounds
 */
export function rangeOf(
  { min, max }: { min: unknown; max: unknown },
  { type, timezone, nowMs }: RangeOptions,
): { lower: number | undefined; upper: number | undefined } {
  const today = todayIn(timezone, nowMs);
  const [lower, upper] = [resolveBound(min, today), resolveBound(max, today)];
  const [base, zone] = type.split(":");
  if (base !== "Date" && base !== "DateTime") return { lower, upper };
  const start = base === "DateTime" ? startsOfDays(zoneOrUtc(zone)) : startOfDay;
  return {
    lower: lower === undefined ? undefined : start(startOfDay(lower)),
    upper: upper === undefined ? undefined : start(startOfDay(upper) + DAY_S) - 1,
  };
}

const startsOfDays =
  (zone: Zone) =>
  (day: number): number =>
    zone.toUtc(civilTimeOf(day), "forward");

function resolveBound(bound: unknown, today: number): number | undefined {
  if (bound === undefined || bound === null) return undefined;
  if (typeof bound === "number") return bound;
  if (!Array.isArray(bound) || !bound.every(isStep))
    throw invalid("Invalid bound in a filter: must be a number or a list of relative date steps");
  return bound.reduce(applyStep, today);
}

function isStep(step: unknown): step is DateStep {
  const { quantity, unit } = (step ?? {}) as Partial<Record<string, unknown>>;
  return Number.isSafeInteger(quantity) && UNITS.includes(String(unit));
}

/** Weeks begin on Sunday. */
function applyStep(day: number, { quantity, unit, endOf = false }: DateStep): number {
  const next = quantity + (endOf ? 1 : 0);
  const { year, month } = civilTimeOf(day);
  const back = endOf ? DAY_S : 0;
  switch (unit) {
    case "day":
      return day + quantity * DAY_S;
    case "week": {
      const weekday = (((day / DAY_S + 4) % 7) + 7) % 7;
      return day - weekday * DAY_S + next * 7 * DAY_S - back;
    }
    case "month": {
      const months = year * 12 + month - 1 + next;
      return midnightOf(Math.floor(months / 12), (((months % 12) + 12) % 12) + 1, 1) - back;
    }
    case "year":
      return midnightOf(year + next, 1, 1) - back;
    default:
      return unit satisfies never;
  }
}
