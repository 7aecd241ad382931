import { readAttribute } from "../runtime/classes/attributes.ts";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { decodeBytes, PyBytes } from "../runtime/text/bytes.ts";
import { PyDate } from "../dates/date.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { add, BINARY, COMPARE } from "../runtime/operators.ts";
import { defineFunction, requireInt } from "../runtime/signature.ts";
import { readIndex, readSlice } from "../runtime/collections/slices.ts";
import { repeatText, chargeForSearch } from "../runtime/text/text.ts";
import {
  AltText,
  numberOf,
  type PyFunction,
  pyEquals,
  pyLength,
  pyStr,
  type PyValue,
  typeName,
} from "../runtime/values.ts";
import { readDateText } from "./date-values.ts";
import { MONEY_FUNCTIONS } from "./currency-text.ts";
import { PHONE_FUNCTIONS } from "./phone.ts";
import { character, codeOf, toFloat, toInt } from "./python.ts";
import { REGEX_FUNCTIONS } from "./regex.ts";
import { chargeForStrip, dropFromEnds } from "../methods/text-split.ts";
import { callTextMethod } from "./text-arguments.ts";

const TEXT = { required: ["text"] } as const;
const WITH_COUNT = { required: ["string"], optional: [["num_chars", 1n]] } as const;
const SEARCH = { required: ["find_text", "within_text"], optional: [["start_num", 1n]] } as const;

/** The maximum length of a REPT result. */
const MAX_REPEATED_LENGTH = 32_767n;

/** Functions on texts. */
export const TEXT_FUNCTIONS: readonly PyFunction[] = [
  ...MONEY_FUNCTIONS,
  ...PHONE_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  /** CHAR(table_number): the character with this code. */
  defineFunction("CHAR", { required: ["table_number"] }, ([code]) => character(requireInt(code))),
  /** CLEAN(text): removes control characters. */
  defineFunction("CLEAN", TEXT, ([text = null]) => {
    if (typeof text !== "string") throw typeError(`expected string or bytes-like object, got '${typeName(text)}'`);
    return text.replace(/\p{Cc}/gu, "");
  }),
  /** CODE(string): the code of the first character. */
  defineFunction("CODE", { required: ["string"] }, ([text = null]) => {
    const first = readIndex(text, 0n);
    if (typeof first !== "string") throw typeError(`ord() expected string of length 1, but ${typeName(first)} found`);
    return codeOf(first);
  }),
  /** CONCAT(value, …) */
  defineFunction("CONCAT", { required: ["string"], rest: true }, concatenate),
  /** CONCATENATE(value, …): joins the values as texts. */
  defineFunction("CONCATENATE", { required: ["string"], rest: true }, concatenate),
  /** EXACT(string1, string2): whether the two are equal. */
  defineFunction("EXACT", { required: ["string1", "string2"] }, ([left = null, right = null]) => pyEquals(left, right)),
  /** FIND(find_text, within_text, start_num=1): the position of the first occurrence. */
  defineFunction("FIND", SEARCH, ([part = null, text = null, start]) => find(text, part, start)),
  /** LEFT(string, num_chars=1) */
  defineFunction("LEFT", WITH_COUNT, ([text = null, count]) => readSlice(text, null, requireCount(count), null)),
  /** LEN(text): the number of characters, or of elements of a list. */
  defineFunction("LEN", TEXT, ([text = null]) => BigInt(pyLength(text))),
  /** LOWER(text) */
  defineFunction("LOWER", TEXT, ([text = null]) => callTextMethod(text, "lower")),
  /** MID(text, start_num, num_chars) */
  defineFunction("MID", { required: ["text", "start_num", "num_chars"] }, ([text = null, start, count]) => {
    const from = requirePosition(start);
    return readSlice(text, from, from + requireInt(count), null);
  }),
  /** PROPER(text): capitalizes each word. */
  defineFunction("PROPER", TEXT, ([text = null]) => callTextMethod(text, "title")),
  /** REPLACE(text, position, length, new_text): replaces a range of characters. */
  defineFunction(
    "REPLACE",
    { required: ["text", "position", "length", "new_text"] },
    ([text = null, position, length, inserted = null]) => {
      const from = requirePosition(position);
      const after = readSlice(text, from + requireInt(length), null, null);
      return add(add(readSlice(text, null, from, null), inserted), after);
    },
  ),
  /** REPT(text, number_times): at most 32,767 characters. */
  defineFunction("REPT", { required: ["text", "number_times"] }, ([text = null, times = null]) => {
    if (COMPARE["<"](times, 0n)) throw valueError("number_times invalid");
    const count = requireInt(toInt([times]));
    if (typeof text !== "string") throw typeError(`REPT() needs a text, not ${typeName(text)}`);
    if (BigInt(pyLength(text)) * count > MAX_REPEATED_LENGTH) throw valueError("number_times too large");
    return repeatText(text, count);
  }),
  /** RIGHT(string, num_chars=1): with 0, the whole text. */
  defineFunction("RIGHT", WITH_COUNT, ([text = null, count]) => readSlice(text, -requireCount(count), null, null)),
  /** SEARCH(find_text, within_text, start_num=1): like FIND, but case-insensitive. */
  defineFunction("SEARCH", SEARCH, ([part = null, text = null, start]) =>
    find(callTextMethod(text, "lower"), callTextMethod(part, "lower"), start),
  ),
  /** SUBSTITUTE(text, old_text, new_text, instance_num=None): replaces all occurrences, or the nth. */
  defineFunction(
    "SUBSTITUTE",
    { required: ["text", "old_text", "new_text"], optional: [["instance_num", null]] },
    ([text = null, old = null, replacement = null, instance = null]) =>
      substitute(pyStr(text), { old: pyStr(old), replacement: pyStr(replacement), instance }),
  ),
  /** T(value): a text unchanged, everything else as an empty text. */
  defineFunction("T", { required: ["value"] }, ([value = null]) => {
    if (value instanceof PyBytes) return decodeText(value);
    return typeof value === "string" ? value : value instanceof AltText ? value.text : "";
  }),
  /** TASTEME(food): whether a word contains the same letter twice with one letter between. */
  defineFunction("TASTEME", { required: ["food"] }, ([food = null]) => {
    const text = callTextMethod(food, "upper");
    const words = typeof text === "string" ? (text.match(/(?<![\p{L}\p{N}_])[A-Z]+(?![\p{L}\p{N}_])/gu) ?? []) : [];
    return words.length === 0 ? null : words.some((word) => /(.).\1/.test(word));
  }),
  /** TRIM(text): removes surrounding spaces and collapses repeated ones. */
  defineFunction("TRIM", TEXT, ([text = null]) => {
    if (typeof text !== "string") return callTextMethod(text, "strip", [" "]);
    chargeForStrip(text);
    return trimSpaces(text);
  }),
  /** UPPER(text) */
  defineFunction("UPPER", TEXT, ([text = null]) => callTextMethod(text, "upper")),
  /** VALUE(text): parses a number, ignoring `$` and commas, or else a date. */
  defineFunction("VALUE", TEXT, ([text = null]) => parseValue(text)),
];

/** Removes surrounding spaces and collapses repeated ones. */
export function trimSpaces(text: string): string {
  const trimmed = dropFromEnds(text, (unit) => unit === SPACE, { start: true, end: true });
  return trimmed.includes("  ") ? trimmed.replace(/ {2,}/g, " ") : trimmed;
}

const SPACE = " ".charCodeAt(0);

const decodeText = (bytes: PyBytes): string => decodeBytes(bytes, "utf-8", "strict");

function concatenate(args: readonly PyValue[]): PyValue {
  const texts = args.map((value) => (value instanceof PyBytes ? decodeText(value) : pyStr(value)));
  for (const text of texts) spendBytes(text.length * 2);
  return texts.join("");
}

function requireCount(count: PyValue = null): bigint {
  if (COMPARE["<"](count, 0n)) throw valueError("num_chars invalid");
  return requireInt(count);
}

/** Converts a position, starting at 1, to an index. */
function requirePosition(position: PyValue = null): bigint {
  if (COMPARE["<"](position, 1n)) throw valueError("start_num invalid");
  return requireInt(position) - 1n;
}

function find(text: PyValue, part: PyValue, start: PyValue = null): PyValue {
  // A value without this method is reported before a start that is not a number.
  readAttribute(text, "index");
  return add(callTextMethod(text, "index", [part, BINARY["-"](start, 1n)]), 1n);
}

function substitute(text: string, by: { old: string; replacement: string; instance: PyValue }): PyValue {
  const { old, replacement, instance } = by;
  if (old === "") return text;
  if (instance === null) return callTextMethod(text, "replace", [old, replacement]);
  if (COMPARE["<="](instance, 0n)) throw valueError("instance_num invalid");
  const instanceNumber = requireInt(instance);
  // Overlapping occurrences count too.
  let at = -1;
  for (let count = 0n; count < instanceNumber; count++) {
    chargeForSearch("", old);
    const next = text.indexOf(old, at + 1);
    spendSteps((next < 0 ? text.length : next - at) / 8);
    if (next < 0) return text;
    at = next;
  }
  spendBytes((text.length + replacement.length) * 2);
  return text.slice(0, at) + replacement + text.slice(at + old.length);
}

function parseValue(text: PyValue): PyValue {
  if (numberOf(text) !== undefined || text instanceof PyDate) return text;
  const plain = callTextMethod(callTextMethod(text, "replace", [",", ""]), "replace", ["$", ""]);
  if (typeof plain !== "string") throw typeError("VALUE() needs a text");
  if (plain === "") return 0n;
  for (const parse of [() => toInt([plain]), () => toFloat(plain), () => readDateText(plain)]) {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof PyError && error.catchable)) throw error;
    }
  }
  throw valueError(`text cannot be parsed to a number: ${plain}`);
}
