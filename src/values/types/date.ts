import { startOfDay } from "../calendar.ts";
import { CELL_CODES, type CellValue } from "../cell.ts";
import { parseDate } from "../date-parse.ts";
import { parseIsoDate } from "../iso-date.ts";
import { zoneOrUtc } from "../zones.ts";
import { BaseType } from "./base-type.ts";
import type { ConvertContext, ParseSettings, TypeFamily } from "./type-interfaces.ts";
import { invalidValueText } from "./convert.ts";

/** Seconds since the epoch, at midnight UTC of the day. */
class DateType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "DATE", sqlDefault: "NULL", storage: "number", defaultValue: null });
  }

  override typed(value: CellValue): CellValue {
    return typeof value === "number" ? [CELL_CODES.date, value] : value;
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    return parseDate(text, settings) ?? text;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (value === null || value === "") return null;
    if (typeof value === "number") return value;
    if (typeof value === "boolean") return Number(value);
    if (typeof value === "string") return parseIsoDate(value) ?? value;
    if (value[0] === CELL_CODES.date) return Number(value[1]);
    if (value[0] === CELL_CODES.dateTime) return dayIn(String(value[2]), Number(value[1]));
    return invalidValueText(value, context);
  }
}

export const date: TypeFamily = { base: "Date", argument: "none", make: (text) => new DateType(text) };

/** Returns midnight UTC of the calendar day that a timestamp falls on in a zone. */
function dayIn(zoneName: string, seconds: number): number {
  return startOfDay(seconds + zoneOrUtc(zoneName).offsetAt(seconds));
}
