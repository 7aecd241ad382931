import { civilTimeOf } from "../calendar.ts";
import { CELL_CODES, type CellValue } from "../cell.ts";
import { parseDateTime } from "../date-time-parse.ts";
import { parseIsoDateTime } from "../iso-date.ts";
import { zoneOrUtc, type Zone } from "../zones.ts";
import { BaseType } from "./base-type.ts";
import type { ConvertContext, ParseSettings, TypeFamily } from "./type-interfaces.ts";
import { invalidValueText } from "./convert.ts";

/** Seconds since the epoch, displayed in a time zone. */
class DateTimeType extends BaseType {
  readonly zone: string;
  readonly #zone: Zone;

  constructor(text: string, zone: string | undefined) {
    const sql =
      zone === undefined
        ? ({ sqlType: "DATETIME", storage: "number" } as const)
        : ({ sqlType: "BLOB", storage: "blob" } as const);
    super(text, { ...sql, sqlDefault: "NULL", defaultValue: null });
    this.#zone = zoneOrUtc(zone);
    this.zone = this.#zone.name;
  }

  override typed(value: CellValue): CellValue {
    return typeof value === "number" ? [CELL_CODES.dateTime, value, this.zone] : value;
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    const seconds = parseDateTime(text, this.#zone, settings);
    return seconds === undefined ? text : seconds;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (value === null || value === "") return null;
    if (typeof value === "number") return value;
    if (typeof value === "boolean") return Number(value);
    if (typeof value === "string") return parseIsoDateTime(value, this.#zone) ?? value;
    if (value[0] === CELL_CODES.date) return this.#zone.toUtc(civilTimeOf(Number(value[1])), "after");
    return value[0] === CELL_CODES.dateTime ? Number(value[1]) : invalidValueText(value, context);
  }
}

export const dateTime: TypeFamily = {
  base: "DateTime",
  argument: "optional",
  make: (text, zone) => new DateTimeType(text, zone),
};
