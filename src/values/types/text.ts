import { BaseType } from "./base.ts";
import type { TypeFamily } from "./contract.ts";

class TextType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "TEXT", sqlDefault: "''", storage: "text", defaultValue: "" });
  }
}

export const text: TypeFamily = { base: "Text", argument: "none", make: (type) => new TextType(type) };

/** A text out of a list of choices; others are allowed too. */
export const choice: TypeFamily = { base: "Choice", argument: "none", make: (type) => new TextType(type) };
