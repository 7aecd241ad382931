import type { CellValue } from "../values/cell.ts";

/** Times of day and durations. No column type stores them, so they become texts. */

/** Code of these values in staged rows; cells never have it. */
const TIME_OF_DAY_CODE = "time of day";

/** Returns the staged value for a time of day or a duration. Its text depends on the other values of its column. */
export const timeOfDay = (seconds: number): CellValue => [TIME_OF_DAY_CODE, Math.round(seconds)];

/** Returns the seconds of a time of day; undefined for other values. */
export function timeOfDaySeconds(value: CellValue): number | undefined {
  return Array.isArray(value) && value[0] === TIME_OF_DAY_CODE ? Number(value[1]) : undefined;
}

/** Formats `15:38`, or `15:38:20` in a column in which any value has seconds; `26:30` for more than a day. */
export function timeText(seconds: number, { hasSeconds }: { hasSeconds: boolean }): string {
  const size = Math.abs(seconds);
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, ...(hasSeconds ? [size % 60] : [])];
  return `${seconds < 0 ? "-" : ""}${parts.map((part) => String(part).padStart(2, "0")).join(":")}`;
}
