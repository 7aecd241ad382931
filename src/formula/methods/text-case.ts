import { spendSteps } from "../runtime/budget.ts";

/** Case conversion and case tests of strings. */

export const upper = (text: string): string => text.toUpperCase();
export const lower = (text: string): string => text.toLowerCase();

const CASED = /\p{Cased}/u;
const UPPER = /[\p{Uppercase}\p{Lt}]/u;
const LOWER = /\p{Lowercase}/u;

/** Returns the title case of a character: `ǆ` becomes `ǅ`, `ß` becomes `Ss`. */
function titleCaseCharacter(character: string): string {
  const double = TITLE_CASE_DIGRAPHS.get(character.toUpperCase());
  if (double !== undefined) return double;
  const [first = "", ...rest] = character.toUpperCase();
  return first + rest.join("").toLowerCase();
}

const TITLE_CASE_DIGRAPHS: ReadonlyMap<string, string> = new Map([
  ["Ǆ", "ǅ"],
  ["Ǉ", "ǈ"],
  ["Ǌ", "ǋ"],
  ["Ǳ", "ǲ"],
]);

export function capitalize(text: string): string {
  const [first = ""] = text;
  // Lower-cases the whole word, so that a final sigma gets its form.
  return titleCaseCharacter(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

/** Returns the lower case of the character at an index: a final sigma has a form of its own. */
function lowerCaseAt(text: string, at: number, character: string): string {
  if (character !== "Σ") return character.toLowerCase();
  const isLast = !/^\p{Case_Ignorable}*\p{Cased}/u.test(text.slice(at + 1, at + 20));
  const isInside = /\p{Cased}\p{Case_Ignorable}*$/u.test(text.slice(Math.max(0, at - 20), at));
  return isLast && isInside ? "ς" : "σ";
}

/** Capitalizes each run of letters. */
export function title(text: string): string {
  spendSteps(text.length * 4);
  let result = "";
  let inWord = false;
  let at = 0;
  for (const character of text) {
    result += inWord ? lowerCaseAt(text, at, character) : titleCaseCharacter(character);
    inWord = CASED.test(character);
    at += character.length;
  }
  return result;
}

export function swapCase(text: string): string {
  let result = "";
  let at = 0;
  for (const character of text) {
    // Title-case characters such as `ǅ` are neither upper nor lower case and stay unchanged.
    const isTitle = /\p{Lt}/u.test(character);
    result += isTitle ? character : UPPER.test(character) ? lowerCaseAt(text, at, character) : character.toUpperCase();
    at += character.length;
  }
  return result;
}

export const isUpper = (text: string): boolean => UPPER.test(text) && !LOWER.test(text) && !/\p{Lt}/u.test(text);
export const isLower = (text: string): boolean => LOWER.test(text) && !UPPER.test(text);

export function isTitle(text: string): boolean {
  let inWord = false;
  let hasCased = false;
  for (const character of text) {
    const isUpperCase = UPPER.test(character);
    const isCased = CASED.test(character);
    if (isCased && isUpperCase === inWord) return false;
    hasCased ||= isCased;
    inWord = isCased;
  }
  return hasCased;
}
