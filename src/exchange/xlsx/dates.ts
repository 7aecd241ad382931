import { DAY_S } from "../../values/calendar.ts";
import { type CellValue, CELL_CODES } from "../../values/cell.ts";
import { timeOfDay } from "../times-of-day.ts";

/** The first of January 1970 as spreadsheets count days from 1900 on. */
const EPOCH_SERIAL = 25_569;
/** Days between the two epochs of workbooks. */
const EPOCH_1904_OFFSET_DAYS = 1462;
/** The last day of the year 9999. */
const LAST_DAY = 2_958_465;
/** Days from the epoch below which a number in a format of times is a length of time: nobody notes moments of 1900. */
const MAX_DURATION_DAYS = 100;

/** What numbers in a format stand for: days or moments, times of day, or lengths of time such as `26:30`. */
export type DateKind = "date" | "time" | "duration";

/**
 * What a format shows numbers as; null for plain numbers. Decided by the format's code, or by its number where it is
 * none of the workbook's own.
 */
export function dateKind(id: number, code: string | undefined): DateKind | null {
  if (code === undefined) return builtInKind(id);
  // Colours, conditions and texts in quotes may hold any letters.
  const bare = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");
  const [first = ""] = bare.split(";");
  if (!/[ymdhs]/i.test(first) || /general/i.test(bare)) return null;
  if (/[yd]/i.test(first)) return "date";
  if (first.includes("[")) return "duration";
  return /[hs]/i.test(first) ? "time" : "date";
}

/** Formats that workbooks name by number alone; some of them are of East Asian languages. */
function builtInKind(id: number): DateKind | null {
  if (id === 46) return "duration";
  if ((id >= 18 && id <= 21) || id === 32 || id === 33 || id === 45 || id === 47) return "time";
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? "date" : null;
}

/**
 * The value of a number in a format of dates: a day, or with its fraction a moment, whose clock is taken for UTC's; a
 * time of day or a length of time; and a text for what no calendar has, since a number would become a date.
 */
export function cellOfSerialDate(serial: number, kind: DateKind, { is1904 }: { is1904: boolean }): CellValue {
  if (kind === "duration" && Math.abs(serial) < LAST_DAY) return timeOfDay(serial * DAY_S);
  if (kind === "time" && serial >= 0 && serial < MAX_DURATION_DAYS) return timeOfDay(serial * DAY_S);
  const isDay = is1904 ? serial >= 0 : serial >= 1;
  if (!isDay) return serial >= 0 ? timeOfDay(serial * DAY_S) : String(serial);
  const shifted = is1904 ? serial + EPOCH_1904_OFFSET_DAYS : serial;
  if (shifted > LAST_DAY + 0.999_999) return String(serial);
  // The count from 1900 has a 29th of February in 1900, which never was.
  const day = is1904 || serial >= 60 ? shifted : shifted + 1;
  const seconds = Math.round((day - EPOCH_SERIAL) * DAY_S * 1000) / 1000;
  return seconds % DAY_S === 0 ? [CELL_CODES.date, seconds] : [CELL_CODES.dateTime, seconds, "UTC"];
}
