import type { CellValue } from "../cell.ts";
import { BaseType } from "./base.ts";
import type { TypeFamily } from "./contract.ts";

/** The row id of a record of another table; 0 for none. */
class RefType extends BaseType {
  readonly target: string;

  constructor(text: string, target: string) {
    super(text, { sqlType: "INTEGER", sqlDefault: "0", storage: "number", defaultValue: 0 });
    this.target = target;
  }

  override typed(value: CellValue): CellValue {
    return typeof value === "number" ? ["R", this.target, value] : value;
  }
}

export const ref: TypeFamily = {
  base: "Ref",
  argument: "required",
  make: (text, target = "") => new RefType(text, target),
};
