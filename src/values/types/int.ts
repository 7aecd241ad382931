import { BaseType } from "./base.ts";
import type { TypeFamily } from "./contract.ts";

class IntType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "INTEGER", sqlDefault: "0", storage: "number", defaultValue: 0 });
  }
}

export const int: TypeFamily = { base: "Int", argument: "none", make: (text) => new IntType(text) };

/** The type of row ids. */
export const id: TypeFamily = { base: "Id", argument: "none", make: (text) => new IntType(text) };
