import type { CellValue } from "../cell.ts";
import { parseNumber } from "../number-parse.ts";
import { parseFloatText } from "../python-number.ts";
import { floatText, isInt32 } from "../python-text.ts";
import { BaseType } from "./base-type.ts";
import type { ConvertContext, ParseSettings, TypeFamily } from "./type-interfaces.ts";
import { invalidValueText } from "./convert.ts";

/** Integers within 32 bits; fractions are truncated. */
class IntType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "INTEGER", sqlDefault: "0", storage: "number", defaultValue: 0 });
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    return parseNumber(text, settings) ?? text;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (value === null || value === "") return null;
    if (typeof value === "boolean") return Number(value);
    if (typeof value === "number") return truncateToInt32(value) ?? floatText(value);
    if (typeof value !== "string") return invalidValueText(value, context);
    const number = parseFloatText(value);
    return (number === undefined ? undefined : truncateToInt32(number)) ?? value;
  }
}

export const int: TypeFamily = { base: "Int", argument: "none", make: (text) => new IntType(text) };

/** The type of row ids. */
export const id: TypeFamily = { base: "Id", argument: "none", make: (text) => new IntType(text) };

/** Truncates a number to an integer; undefined if it exceeds 32 bits. */
function truncateToInt32(value: number): number | undefined {
  // Adding 0 turns -0, the truncated -0.5, into 0.
  const whole = Math.trunc(value) + 0;
  return isInt32(whole) ? whole : undefined;
}
