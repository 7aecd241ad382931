import { spendBytes, spendSteps } from "../budget.ts";

/**
 * String functions by code points: JavaScript counts surrogates, Python does not. Most strings have none and use
 * JavaScript's own functions.
 */

const SURROGATE = /[\ud800-\udfff]/;

/** Without surrogates, each code point is one code unit, and JavaScript's indexes equal Python's. */
export const hasSurrogates = (text: string): boolean => SURROGATE.test(text);

/** Splits a string into code points. */
export function codePoints(text: string): string[] {
  spendBytes(text.length * 8);
  spendSteps(text.length * 2);
  return Array.from(text);
}

export function textLength(text: string): number {
  spendSteps(text.length / 32);
  return countCharacters(text);
}

/** Like `textLength`, without charging it. */
export function countCharacters(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Returns the characters from `from` to `to`, both within the string. */
export function sliceText(text: string, from: number, to: number): string {
  if (!hasSurrogates(text)) return text.slice(from, to);
  return codePoints(text).slice(from, to).join("");
}

/** Converts an index in code units to one in code points. */
export const codePointIndex = (text: string, unitIndex: number): number =>
  unitIndex < 0 ? unitIndex : textLength(text.slice(0, unitIndex));

/** Compares by code points: negative, 0 or positive. */
export function compareText(left: string, right: string): number {
  spendSteps(Math.min(left.length, right.length) / 8);
  return orderOfTexts(left, right);
}

/** Like `compareText`, without charging it. */
export function orderOfTexts(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let at = 0; at < shorter; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    // Surrogates sort below U+E000, but the characters they encode sort above all others.
    if (a !== b) return surrogateOrder(a) - surrogateOrder(b);
  }
  return left.length - right.length;
}

const surrogateOrder = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/** The white space of Python strings, as a regular expression class. */
export const SPACE_CLASS = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;

const LEADING_SPACE = new RegExp(`^${SPACE_CLASS}+`);
const SPACE = new RegExp(SPACE_CLASS);

export const trimStart = (text: string): string => text.replace(LEADING_SPACE, "");

export function trimEnd(text: string): string {
  // A loop, because a pattern anchored at the end would be tried at every space.
  let end = text.length;
  while (end > 0 && SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export const trimText = (text: string): string => trimEnd(trimStart(text));

const NOT_PRINTABLE = /[\p{C}\p{Z}]/u;

/** Returns a Python string literal: `'it\'s'`. With `ascii`, other characters are escaped. */
export function quoteText(text: string, ascii = false): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  spendBytes(text.length * 2);
  spendSteps(text.length);
  let quoted = quote;
  for (const character of text) quoted += quoteCharacter(character, quote, ascii);
  return quoted + quote;
}

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function quoteCharacter(character: string, quote: string, ascii: boolean): string {
  if (character === quote) return `\\${quote}`;
  const named = NAMED_ESCAPES.get(character);
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  const plain = code > 126 ? !ascii && !NOT_PRINTABLE.test(character) : code >= 32;
  if (plain) return character;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Returns `text` repeated `count` times; negative counts give an empty string. */
export function repeatText(text: string, count: bigint): string {
  if (count <= 0n || text === "") return "";
  spendBytes(text.length * 2 * Number(count));
  return text.repeat(Number(count));
}

/** Charges the cost of a string search. */
export function chargeForSearch(text: string, needle: string): void {
  spendSteps((text.length + needle.length) / 8);
}
