import type { CellValue } from "../cell.ts";
import { BaseType } from "./base.ts";
import type { ConvertContext, TypeFamily } from "./contract.ts";

/** Keeps every value as it is. */
class AnyType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "BLOB", sqlDefault: "NULL", storage: "blob", defaultValue: null });
  }

  protected override fit(value: CellValue, context: ConvertContext | undefined): CellValue {
    // What lay in a Bool column is a number there, and stays one.
    return typeof value === "boolean" && context?.from?.base === "Bool" ? Number(value) : value;
  }
}

export const any: TypeFamily = { base: "Any", argument: "none", make: (text) => new AnyType(text) };

/** Found in old files only. */
export const blob: TypeFamily = { ...any, base: "Blob" };
