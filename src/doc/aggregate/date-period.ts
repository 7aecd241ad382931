import { BoundedCache } from "../../lib/bounded-cache.ts";
import { civilTimeOf, DAY_S, midnightOf, startOfDay } from "../../values/calendar.ts";
import { formatDate } from "../../values/date-format.ts";
import { UTC, type Zone } from "../../values/zones.ts";

export const PERIODS = ["day", "week", "month", "quarter", "year"] as const;

/** Weeks begin on Monday. */
export type Period = (typeof PERIODS)[number];

const MAX_CACHED_DAYS = 10_000;
/** 1970-01-01 was a Thursday. */
const DAYS_AFTER_MONDAY = 3;

/** Returns a function that returns the first day of a time's period as an ISO date, null for times out of range. */
export function periodStart(period: Period, zone: Zone): (seconds: number) => string | null {
  const texts = new BoundedCache<number, string>({ maxEntries: MAX_CACHED_DAYS });
  const dayOf = periodDay(period, zone);
  const format = (day: number): string => formatDate(day, "YYYY-MM-DD", UTC);
  return (seconds) => {
    const day = dayOf(seconds);
    return day === null ? null : texts.get(day, format);
  };
}

/**
 * Returns a function that returns the first day of a time's period, as seconds of its midnight in UTC; null for times
 * out of range.
 */
export function periodDay(period: Period, zone: Zone): (seconds: number) => number | null {
  const days = new BoundedCache<number, number>({ maxEntries: MAX_CACHED_DAYS });
  const first = (day: number): number => firstDay(period, day);
  return (seconds) =>
    Number.isFinite(new Date(seconds * 1000).getTime())
      ? days.get(startOfDay(seconds + zone.offsetAt(seconds)), first)
      : null;
}

/** @param day midnight of a local day, as seconds */
function firstDay(period: Period, day: number): number {
  const { year, month } = civilTimeOf(day);
  switch (period) {
    case "day":
      return day;
    case "week":
      return day - ((((Math.floor(day / DAY_S) + DAYS_AFTER_MONDAY) % 7) + 7) % 7) * DAY_S;
    case "month":
      return midnightOf(year, month, 1);
    case "quarter":
      return midnightOf(year, month - ((month - 1) % 3), 1);
    case "year":
      return midnightOf(year, 1, 1);
    default:
      return period satisfies never;
  }
}
