import type { CellValue } from "../cell.ts";
import { BaseType } from "./base-type.ts";
import type { ConvertContext, StoredValue, TypeFamily } from "./type-interfaces.ts";
import { isFalsy, invalidValueText } from "./convert.ts";

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

class BoolType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "BOOLEAN", sqlDefault: "0", storage: "boolean", defaultValue: false });
  }

  override get isStoredPlain(): boolean {
    return false;
  }

  override decodeRaw(stored: StoredValue): CellValue {
    const value = super.decodeRaw(stored);
    // A marshalled 0 or 1 is a number that was stored in this column as a number.
    if (typeof stored === "object") return value;
    return value === 0 || value === 1 ? value === 1 : value;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (isFalsy(value)) return false;
    if (typeof value === "boolean" || typeof value === "number") return true;
    return (typeof value === "string" ? WORDS.get(value.toLowerCase()) : undefined) ?? invalidValueText(value, context);
  }
}

export const bool: TypeFamily = { base: "Bool", argument: "none", make: (text) => new BoolType(text) };
