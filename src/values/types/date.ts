import type { CellValue } from "../cell.ts";
import { BaseType } from "./base.ts";
import type { TypeFamily } from "./contract.ts";

/** Seconds since the epoch, at midnight UTC of the day. */
class DateType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "DATE", sqlDefault: "NULL", storage: "number", defaultValue: null });
  }

  override typed(value: CellValue): CellValue {
    return typeof value === "number" ? ["d", value] : value;
  }
}

export const date: TypeFamily = { base: "Date", argument: "none", make: (text) => new DateType(text) };
