import type { CellValue } from "../cell.ts";
import { BaseType } from "./base.ts";
import type { StoredValue, TypeFamily } from "./contract.ts";

class BoolType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "BOOLEAN", sqlDefault: "0", storage: "boolean", defaultValue: false });
  }

  override get plain(): boolean {
    return false;
  }

  override decodeRaw(stored: StoredValue): CellValue {
    const value = super.decodeRaw(stored);
    // A marshalled 0 or 1 is a number that was put into this column as such.
    if (typeof stored === "object") return value;
    return value === 0 || value === 1 ? value === 1 : value;
  }
}

export const bool: TypeFamily = { base: "Bool", argument: "none", make: (text) => new BoolType(text) };
