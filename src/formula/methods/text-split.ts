import { spendBytes, spendSteps } from "../budget.ts";
import { valueError } from "../errors.ts";
import { SPACE_CLASS, spendSearch } from "../text.ts";

/** Taking texts apart. Costs are counted by the length of the text. */

const NOT_SPACE = new RegExp(SPACE_CLASS.replace("[", "[^"));
const WORD = new RegExp(`${SPACE_CLASS.replace("[", "[^")}+`, "g");

/** The words of a text; with a `most` of 0 or more, the rest stays together after so many. */
export function splitWords(text: string, most: number): string[] {
  spendBytes(text.length * 4);
  const words = text.match(WORD) ?? [];
  if (most < 0 || words.length <= most) return words;
  const parts: string[] = [];
  let at = 0;
  for (const word of words.slice(0, most)) {
    parts.push(word);
    at = text.indexOf(word, at) + word.length;
  }
  const start = text.slice(at).search(NOT_SPACE);
  const rest = text.slice(at + Math.max(0, start));
  return [...parts, most === 0 || rest !== "" ? rest : ""];
}

export function splitWordsFromEnd(text: string, most: number): string[] {
  spendBytes(text.length * 4);
  const words = text.match(WORD) ?? [];
  if (most < 0 || words.length <= most) return words;
  const parts: string[] = [];
  let end = text.length;
  for (const word of words.slice(words.length - most).reverse()) {
    end = text.lastIndexOf(word, end - word.length);
    parts.unshift(word);
  }
  let last = end;
  while (last > 0 && !NOT_SPACE.test(text.charAt(last - 1))) last--;
  return [text.slice(0, last), ...parts];
}

/** The parts between separators, of which at most `most` count if that is 0 or more. */
export function splitAt(text: string, separator: string, most: number): string[] {
  checkSeparator(text, separator);
  const parts = text.split(separator);
  spendBytes(parts.length * 16);
  if (most < 0 || parts.length <= most + 1) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(separator)];
}

export function splitAtFromEnd(text: string, separator: string, most: number): string[] {
  checkSeparator(text, separator);
  const parts: string[] = [];
  let end = text.length;
  const enough = most < 0 ? Infinity : most;
  while (parts.length < enough) {
    const at = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length);
    if (at < 0) break;
    spendSteps(2);
    parts.push(text.slice(at + separator.length, end));
    end = at;
  }
  spendBytes(parts.length * 16);
  return [...parts, text.slice(0, end)].reverse();
}

function checkSeparator(text: string, separator: string): void {
  if (separator === "") throw valueError("empty separator");
  spendSearch(text, separator);
}

/** Head, separator, tail; with `fromEnd` at the last separator. */
export function partition(text: string, separator: string, fromEnd: boolean): [string, string, string] {
  checkSeparator(text, separator);
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
  // At the end of the text the pattern finds one empty line more.
  if (lines.at(-1) === "") lines.pop();
  return keepEnds ? lines : lines.map((line) => line.replace(FINAL_LINE_END, ""));
}

export function replaceText(text: string, old: string, by: string, most: number): string {
  spendSearch(text, old);
  // Between all characters, also those beyond U+FFFF.
  const parts = old === "" ? ["", ...Array.from(text), ""] : text.split(old);
  const count = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1);
  spendBytes((text.length + count * by.length) * 2);
  if (count === parts.length - 1) return parts.join(by);
  return [...parts.slice(0, count), parts.slice(count).join(old)].join(by);
}

/** How often a text occurs in another, without overlaps. */
export function countText(text: string, needle: string): number {
  spendSearch(text, needle);
  if (needle === "") return Array.from(text).length + 1;
  return text.split(needle).length - 1;
}

/** Drops all characters of a set from the sides. */
export function stripCharacters(text: string, set: string, sides: { start: boolean; end: boolean }): string {
  spendBytes(text.length * 8);
  const drop = new Set(set);
  const characters = Array.from(text);
  let from = 0;
  let to = characters.length;
  while (sides.start && from < to && drop.has(characters[from] ?? "")) from++;
  while (sides.end && to > from && drop.has(characters[to - 1] ?? "")) to--;
  return characters.slice(from, to).join("");
}
