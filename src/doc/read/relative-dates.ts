import { invalid } from "../../errors.ts";
import { civilTimeOf, DAY_S, midnightOf, startOfDay } from "../../values/calendar.ts";

export interface BoundOptions {
  /** For the upper bound of a range: a day counts up to its last second. */
  readonly end: boolean;
  /** The base of the column's type. */
  readonly base: string;
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
 * Resolves a bound of a range filter: a number, or steps from today such as `[{"quantity": -1, "unit": "month"}]`.
 * @returns undefined when there is no bound
 * @throws AppError `invalid`
 */
export function resolveBound(bound: unknown, { end, base, nowMs }: BoundOptions): number | undefined {
  if (bound === undefined || bound === null) return undefined;
  if (typeof bound === "number") return bound;
  if (!Array.isArray(bound) || !bound.every(isStep))
    throw invalid("Invalid bound in a filter: must be a number or a list of relative date steps");
  let day = startOfDay(nowMs / 1000);
  for (const step of bound) day = applyStep(day, step);
  return end && base === "DateTime" ? day + DAY_S - 1 : day;
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
