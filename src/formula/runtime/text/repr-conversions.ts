import { quoteText } from "./text.ts";
import { pyRepr, pyStr, type PyValue } from "../values.ts";

/** The conversions `!r`, `!s` and `!a` of formats. */
export const REPR_CONVERSIONS: ReadonlyMap<string, (value: PyValue) => string> = new Map([
  ["r", pyRepr],
  ["s", pyStr],
  ["a", asciiRepr],
]);

/** Returns `ascii(value)`. */
export function asciiRepr(value: PyValue): string {
  if (typeof value === "string") return quoteText(value, true);
  return pyRepr(value).replace(/[^\0-\x7f]/gu, (character) => quoteText(character, true).slice(1, -1));
}
