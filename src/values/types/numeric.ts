import { invalid } from "../../errors.ts";
import type { CellValue } from "../cell.ts";
import { parseNumber } from "../number-parse.ts";
import { parseFloatText } from "../python-number.ts";
import { BaseType } from "./base-type.ts";
import type { ConvertContext, ParseSettings, TypeFamily } from "./type-interfaces.ts";
import { invalidValueText } from "./convert.ts";

class NumericType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "NUMERIC", sqlDefault: "0", storage: "number", defaultValue: 0 });
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    return parseNumber(text, settings) ?? text;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    const number = toNumber(value);
    return number === undefined ? invalidValueText(value, context) : number;
  }
}

export const numeric: TypeFamily = { base: "Numeric", argument: "none", make: (text) => new NumericType(text) };

/** Sort position of a record; infinity sorts last. */
class PositionType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "NUMERIC", sqlDefault: "1e999", storage: "number", defaultValue: Infinity });
  }

  override parse(text: string, settings: ParseSettings): CellValue {
    return parseNumber(text, settings) ?? text;
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    const number = toNumber(value);
    if (number === undefined && context?.mode !== "typeChange") throw invalid("A position must be a number");
    return number === undefined || number === null || Number.isNaN(number) ? Infinity : number;
  }
}

export const positionNumber: TypeFamily = {
  base: "PositionNumber",
  argument: "none",
  make: (text) => new PositionType(text),
};

export const manualSortPos: TypeFamily = { ...positionNumber, base: "ManualSortPos" };

/** Converts a value to a number, an empty value to null; returns undefined if it is not a number. */
function toNumber(value: CellValue): number | null | undefined {
  if (typeof value === "number" || value === null) return value;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return undefined;
  return value === "" ? null : parseFloatText(value);
}
