import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { valueError } from "../runtime/errors.ts";
import { SPACE_CLASS, chargeForSearch, hasSurrogates } from "../runtime/text/text.ts";

/** Splitting and searching strings. Steps are charged by the length of the text. */

const NOT_SPACE = new RegExp(SPACE_CLASS.replace("[", "[^"));
const WORD = new RegExp(`${SPACE_CLASS.replace("[", "[^")}+`, "g");

/** Splits into words; with `maxSplits` of 0 or more, the rest is not split after that many. */
export function splitWords(text: string, maxSplits: number): string[] {
  spendBytes(text.length * 4);
  const words = text.match(WORD) ?? [];
  if (maxSplits < 0 || words.length <= maxSplits) return words;
  const parts: string[] = [];
  let at = 0;
  for (const word of words.slice(0, maxSplits)) {
    parts.push(word);
    at = text.indexOf(word, at) + word.length;
  }
  const start = text.slice(at).search(NOT_SPACE);
  const rest = text.slice(at + Math.max(0, start));
  return [...parts, maxSplits === 0 || rest !== "" ? rest : ""];
}

export function splitWordsFromEnd(text: string, maxSplits: number): string[] {
  spendBytes(text.length * 4);
  const words = text.match(WORD) ?? [];
  if (maxSplits < 0 || words.length <= maxSplits) return words;
  const parts: string[] = [];
  let end = text.length;
  for (const word of words.slice(words.length - maxSplits).reverse()) {
    end = text.lastIndexOf(word, end - word.length);
    parts.unshift(word);
  }
  let last = end;
  while (last > 0 && !NOT_SPACE.test(text.charAt(last - 1))) last--;
  return [text.slice(0, last), ...parts];
}

/** Splits at a separator, at most `maxSplits` times if that is 0 or more. */
export function splitAt(text: string, separator: string, maxSplits: number): string[] {
  requireSeparator(text, separator);
  const parts = text.split(separator);
  spendBytes(parts.length * 16);
  if (maxSplits < 0 || parts.length <= maxSplits + 1) return parts;
  return [...parts.slice(0, maxSplits), parts.slice(maxSplits).join(separator)];
}

export function splitAtFromEnd(text: string, separator: string, maxSplits: number): string[] {
  requireSeparator(text, separator);
  const parts: string[] = [];
  let end = text.length;
  const hasMaxSplits = maxSplits < 0 ? Infinity : maxSplits;
  while (parts.length < hasMaxSplits) {
    const at = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length);
    if (at < 0) break;
    spendSteps(2);
    parts.push(text.slice(at + separator.length, end));
    end = at;
  }
  spendBytes(parts.length * 16);
  return [...parts, text.slice(0, end)].reverse();
}

function requireSeparator(text: string, separator: string): void {
  if (separator === "") throw valueError("empty separator");
  chargeForSearch(text, separator);
}

/** Returns head, separator and tail; with `fromEnd` at the last separator. */
export function partition(text: string, separator: string, fromEnd: boolean): [string, string, string] {
  requireSeparator(text, separator);
  const at = fromEnd ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at < 0) return fromEnd ? ["", "", text] : [text, "", ""];
  return [text.slice(0, at), separator, text.slice(at + separator.length)];
}

const LINE_END = String.raw`(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])`;
const LINE = new RegExp(String.raw`[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:${LINE_END}|$)`, "g");
const FINAL_LINE_END = new RegExp(`${LINE_END}$`);

export function splitLines(text: string, keepEnds: boolean): string[] {
  spendBytes(text.length * 4);
  const lines: string[] = text.match(LINE) ?? [];
  // At the end of the text the pattern matches an additional empty line.
  if (lines.at(-1) === "") lines.pop();
  return keepEnds ? lines : lines.map((line) => line.replace(FINAL_LINE_END, ""));
}

export function replaceText(text: string, old: string, replacement: string, maxCount: number): string {
  chargeForSearch(text, old);
  // Splits into code points, including those beyond U+FFFF.
  const parts = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  const count = maxCount < 0 ? parts.length - 1 : Math.min(maxCount, parts.length - 1);
  spendBytes((text.length + count * replacement.length) * 2);
  if (count === parts.length - 1) return parts.join(replacement);
  return [...parts.slice(0, count), parts.slice(count).join(old)].join(replacement);
}

/** Returns the number of non-overlapping occurrences. */
export function countText(text: string, needle: string): number {
  chargeForSearch(text, needle);
  if (needle === "") return Array.from(text).length + 1;
  return text.split(needle).length - 1;
}

/** Which ends of a text to strip. */
interface Sides {
  readonly start: boolean;
  readonly end: boolean;
}

export const chargeForStrip = (text: string): void => spendBytes(text.length * 8);

/** Removes all characters of a set from the ends. */
export function stripCharacters(text: string, set: string, sides: Sides): string {
  chargeForStrip(text);
  if (hasSurrogates(set)) return stripCodePoints(text, set, sides);
  return dropFromEnds(text, (unit) => set.includes(String.fromCharCode(unit)), sides);
}

/** Removes code units from the ends. */
export function dropFromEnds(text: string, isDropped: (unit: number) => boolean, sides: Sides): string {
  let from = 0;
  let to = text.length;
  while (sides.start && from < to && isDropped(text.charCodeAt(from))) from++;
  while (sides.end && to > from && isDropped(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function stripCodePoints(text: string, set: string, sides: Sides): string {
  const drop = new Set(set);
  const characters = Array.from(text);
  let from = 0;
  let to = characters.length;
  while (sides.start && from < to && drop.has(characters[from] ?? "")) from++;
  while (sides.end && to > from && drop.has(characters[to - 1] ?? "")) to--;
  return characters.slice(from, to).join("");
}
