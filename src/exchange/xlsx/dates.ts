import { DAY_S } from "../../values/calendar.ts";
import { type CellValue, CELL_CODES } from "../../values/cell.ts";
import { timeOfDay } from "../times-of-day.ts";

/** January 1, 1970 as a serial date in the 1900 date system. */
const EPOCH_SERIAL = 25_569;
/** Days between the two date systems of workbooks. */
const EPOCH_1904_OFFSET_DAYS = 1462;
/** December 31, 9999. */
const LAST_DAY = 2_958_465;
/** Below this number of days, a number in a time format is a duration: date-times of 1900 are implausible. */
const MAX_DURATION_DAYS = 100;

/** Interpretation of numbers in a format: dates or date-times, times of day, or durations such as `26:30`. */
export type DateKind = "date" | "time" | "duration";

/**
 * Returns how a format interprets numbers; null for plain numbers. Determined by the format code, or by the format id
 * if it is built in.
 */
export function dateKind(id: number, code: string | undefined): DateKind | null {
  if (code === undefined) return builtInKind(id);
  // Colours, conditions and quoted text may contain any letters.
  const bare = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");
  const [first = ""] = bare.split(";");
  if (!/[ymdhs]/i.test(first) || /general/i.test(bare)) return null;
  if (/[yd]/i.test(first)) return "date";
  if (first.includes("[")) return "duration";
  return /[hs]/i.test(first) ? "time" : "date";
}

/** Built-in formats, which have an id but no code; some belong to East Asian languages. */
function builtInKind(id: number): DateKind | null {
  if (id === 46) return "duration";
  if ((id >= 18 && id <= 21) || id === 32 || id === 33 || id === 45 || id === 47) return "time";
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? "date" : null;
}

/**
 * Converts a serial date: to a date; with a fraction to a date-time, interpreted as UTC; to a time of day or a
 * duration; or to text if the calendar has no such day, since a number would become a date.
 */
export function cellOfSerialDate(serial: number, kind: DateKind, { is1904 }: { is1904: boolean }): CellValue {
  if (kind === "duration" && Math.abs(serial) < LAST_DAY) return timeOfDay(serial * DAY_S);
  if (kind === "time" && serial >= 0 && serial < MAX_DURATION_DAYS) return timeOfDay(serial * DAY_S);
  const isDay = is1904 ? serial >= 0 : serial >= 1;
  if (!isDay) return serial >= 0 ? timeOfDay(serial * DAY_S) : String(serial);
  const shifted = is1904 ? serial + EPOCH_1904_OFFSET_DAYS : serial;
  if (shifted > LAST_DAY + 0.999_999) return String(serial);
  // The 1900 date system includes a February 29, 1900, which never existed.
  const day = is1904 || serial >= 60 ? shifted : shifted + 1;
  const seconds = Math.round((day - EPOCH_SERIAL) * DAY_S * 1000) / 1000;
  return seconds % DAY_S === 0 ? [CELL_CODES.date, seconds] : [CELL_CODES.dateTime, seconds, "UTC"];
}
