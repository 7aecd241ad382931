import { BaseType } from "./base-type.ts";
import type { TypeFamily } from "./type-interfaces.ts";

/** Stores every value unchanged. */
class AnyType extends BaseType {
  constructor(text: string) {
    super(text, { sqlType: "BLOB", sqlDefault: "NULL", storage: "blob", defaultValue: null });
  }
}

export const any: TypeFamily = { base: "Any", argument: "none", make: (text) => new AnyType(text) };

/** Occurs in old files only. */
export const blob: TypeFamily = { ...any, base: "Blob" };
