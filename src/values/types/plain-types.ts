import { BaseType } from "./base.ts";
import type { TypeFamily } from "./contract.ts";

/** Keeps every value as it is. */
export const any: TypeFamily = {
  base: "Any",
  argument: "none",
  make: (text) => new BaseType(text, { sqlType: "BLOB", sqlDefault: "NULL", storage: "blob", defaultValue: null }),
};

/** Found in old files only. */
export const blob: TypeFamily = { ...any, base: "Blob" };
