import { spendBytes, spendSteps } from "../budget.ts";

/**
 * Texts by code points: JavaScript counts the halves of characters beyond U+FFFF, Python does not. Most texts have
 * none, and for these JavaScript's own functions serve.
 */

const SURROGATE = /[\ud800-\udfff]/;

/** True when each code point of the text is one unit, so that JavaScript's indexes are Python's. */
const hasOnlyBmpCharacters = (text: string): boolean => !SURROGATE.test(text);

/** The code points of a text, each as a text. */
export function codePoints(text: string): string[] {
  spendBytes(text.length * 8);
  spendSteps(text.length * 2);
  return Array.from(text);
}

export function textLength(text: string): number {
  spendSteps(text.length / 32);
  if (hasOnlyBmpCharacters(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Characters `from` to `to`, both within the text. */
export function sliceText(text: string, from: number, to: number): string {
  if (hasOnlyBmpCharacters(text)) return text.slice(from, to);
  return codePoints(text).slice(from, to).join("");
}

/** The index, in characters, of a place given in units. */
export const codePointIndex = (text: string, unitIndex: number): number =>
  unitIndex < 0 ? unitIndex : textLength(text.slice(0, unitIndex));

/** Negative, 0 or positive, by code points. */
export function compareText(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  spendSteps(shorter / 8);
  for (let at = 0; at < shorter; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    // Halves of characters beyond U+FFFF lie below U+E000, but their characters above all others.
    if (a !== b) return surrogateOrder(a) - surrogateOrder(b);
  }
  return left.length - right.length;
}

const surrogateOrder = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/** What Python's texts take for white space, as a class of a regular expression. */
export const SPACE_CLASS = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;

const LEADING_SPACE = new RegExp(`^${SPACE_CLASS}+`);
const SPACE = new RegExp(SPACE_CLASS);

export const trimStart = (text: string): string => text.replace(LEADING_SPACE, "");

export function trimEnd(text: string): string {
  // Backwards by hand: a pattern for the end would be tried at every space.
  let end = text.length;
  while (end > 0 && SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export const trimText = (text: string): string => trimEnd(trimStart(text));

const NOT_PRINTABLE = /[\p{C}\p{Z}]/u;

/** `'it\'s'`, as Python writes a text in its source. With `ascii`, other characters are escaped. */
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

/** `text` `count` times over; counts below 0 give nothing. */
export function repeatText(text: string, count: bigint): string {
  if (count <= 0n || text === "") return "";
  spendBytes(text.length * 2 * Number(count));
  return text.repeat(Number(count));
}

/** Costs of a search through a text. */
export function chargeForSearch(text: string, needle: string): void {
  spendSteps((text.length + needle.length) / 8);
}
