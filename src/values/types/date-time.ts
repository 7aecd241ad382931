import type { CellValue } from "../cell.ts";
import { BaseType } from "./base.ts";
import type { TypeFamily } from "./contract.ts";

/** Seconds since the epoch, shown in a time zone. */
class DateTimeType extends BaseType {
  readonly zone: string;

  constructor(text: string, zone: string | undefined) {
    const sql = zone === undefined ? { sqlType: "DATETIME", storage: "number" } : { sqlType: "BLOB", storage: "blob" };
    super(text, { ...(sql as { sqlType: string; storage: "number" }), sqlDefault: "NULL", defaultValue: null });
    this.zone = zone ?? "UTC";
  }

  override typed(value: CellValue): CellValue {
    return typeof value === "number" ? ["D", value, this.zone] : value;
  }
}

export const dateTime: TypeFamily = {
  base: "DateTime",
  argument: "optional",
  make: (text, zone) => new DateTimeType(text, zone),
};
