import { BaseType } from "./base.ts";
import type { TypeFamily } from "./contract.ts";

class NumericType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "NUMERIC", sqlDefault: "0", storage: "number", defaultValue: 0 });
  }
}

export const numeric: TypeFamily = { base: "Numeric", argument: "none", make: (text) => new NumericType(text) };

/** Where a record stands among others; new ones stand after all. */
class PositionType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "NUMERIC", sqlDefault: "1e999", storage: "number", defaultValue: Infinity });
  }
}

export const positionNumber: TypeFamily = {
  base: "PositionNumber",
  argument: "none",
  make: (text) => new PositionType(text),
};

export const manualSortPos: TypeFamily = { ...positionNumber, base: "ManualSortPos" };
