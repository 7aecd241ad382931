import { DAY_S } from "../values/calendar.ts";
import { type CellValue, CODES } from "../values/cell.ts";

/** The first of January 1970 as spreadsheets count days, from 1900 and from 1904 on. */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;

/** True when a format shows numbers as dates: by its number, or by its code where it is one of the workbook's own. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58);
  // Colours, conditions and texts in quotes may hold any letters.
  const bare = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi, "");
  return /[ymdhs]/i.test(bare.split(";")[0] ?? "") && !/general/i.test(bare);
}

/** A day as spreadsheets count them: a date, or with its fraction a moment, whose clock is taken for UTC's. */
export function dateOfSerial(serial: number, { is1904 }: { is1904: boolean }): CellValue {
  // Times of day alone have no day, and are left as the fractions they are; so are days beyond all calendars.
  if (serial < 1 || serial > 2_958_465.999_999) return serial;
  // The count has a 29th of February in 1900, which never was.
  const day = is1904 || serial >= 60 ? serial : serial + 1;
  const seconds = Math.round((day - (is1904 ? EPOCH_1904 : EPOCH_1900)) * DAY_S * 1000) / 1000;
  return seconds % DAY_S === 0 ? [CODES.date, seconds] : [CODES.dateTime, seconds, "UTC"];
}
