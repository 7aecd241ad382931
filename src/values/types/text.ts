import type { CellValue } from "../cell.ts";
import { numberAsText } from "../python-text.ts";
import { BaseType } from "./base-type.ts";
import type { ConvertContext, TypeFamily } from "./type-interfaces.ts";
import { invalidValueText } from "./convert.ts";

class TextType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "TEXT", sqlDefault: "''", storage: "text", defaultValue: "" });
  }

  protected override convertValue(value: CellValue, context: ConvertContext | undefined): CellValue {
    if (value === null || typeof value === "string") return value;
    return typeof value === "number" ? numberAsText(value) : invalidValueText(value, context);
  }
}

export const text: TypeFamily = { base: "Text", argument: "none", make: (type) => new TextType(type) };

/** A text from a list of choices; other texts are valid, too. */
export const choice: TypeFamily = { base: "Choice", argument: "none", make: (type) => new TextType(type) };
