import { DAY_S, startOfDay } from "../../values/calendar.ts";
import type { CellValue } from "../../values/cell.ts";
import type { FormattedType } from "../../values/cell-formatter.ts";
import type { ParseSettings } from "../../values/column-type.ts";
import { parseDay } from "../../values/date-parse.ts";
import { numberLocaleOf, parseNumber, parseNumberDetails } from "../../values/number-parse.ts";
import { UTC, zoneOrUtc } from "../../values/zones.ts";

/** Numbers and dates are found by a text that means them: `1249`, `1,249.00` and `$1,249`, or `2026-03-02`. */

/** How the numbers or dates of a column are shown. */
export interface ValueColumn {
  /** False if no cell can be found by its value. */
  readonly hasValues: boolean;
  readonly type: FormattedType;
  /** Of the document and the column. */
  readonly settings: ParseSettings;
  readonly format: (value: CellValue) => string;
}

/** Decides about the values of a column. */
export interface ValueTest {
  /** All values that match are in this range. */
  readonly lower: number;
  readonly upper: number;
  readonly matches: (value: number) => boolean;
}

/** Returns the number or date of a cell; null for all others. */
export const valueOf = (cell: CellValue): number | null =>
  typeof cell === "number" && Number.isFinite(cell) ? cell : null;

/** Returns the test of a text in a column; null if the text means no value of the column. */
export function valueTest(text: string, column: ValueColumn): ValueTest | null {
  if (!column.hasValues) return null;
  const { base } = column.type;
  return base === "Date" || base === "DateTime" ? dayTest(text, column) : numberTest(text, column);
}

function numberTest(text: string, { settings, format }: ValueColumn): ValueTest | null {
  const parsed = parseNumberDetails(text, numberLocaleOf(settings));
  if (!parsed || !Number.isFinite(parsed.value)) return null;
  const { value, decimals, isPercent } = parsed;
  // Columns show rounded numbers.
  const rounding = 0.5 * 10 ** -decimals * (isPercent ? 0.01 : 1);
  return {
    lower: value - rounding,
    upper: value + rounding,
    matches: (number) =>
      number === value || (Math.abs(number - value) <= rounding && parseNumber(format(number), settings) === value),
  };
}

/** A date without a year would mean another day every year. */
const DATE_PARTS = 3;

function dayTest(text: string, { type, settings }: ValueColumn): ValueTest | null {
  const parts = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const day = parts.length === DATE_PARTS ? parseDay(text, settings, UTC) : undefined;
  if (day === undefined) return null;
  if (type.base === "Date") {
    return { lower: day, upper: day + DAY_S - 1, matches: (seconds) => startOfDay(seconds) === day };
  }
  const zone = zoneOrUtc(type.zone);
  return {
    // No zone is further away.
    lower: day - DAY_S,
    upper: day + 2 * DAY_S,
    matches: (seconds) => startOfDay(seconds + zone.offsetAt(seconds)) === day,
  };
}
