/** Texts in other letters, and what letters a text is made of. */

export const upper = (text: string): string => text.toUpperCase();
export const lower = (text: string): string => text.toLowerCase();

const CASED = /\p{Cased}/u;
const UPPER = /[\p{Uppercase}\p{Lt}]/u;
const LOWER = /\p{Lowercase}/u;

/** The form that the first letter of a word takes: `ǆ` becomes `ǅ`, `ß` becomes `Ss`. */
function titleCharacter(character: string): string {
  const double = TITLE_DOUBLES.get(character.toUpperCase());
  if (double !== undefined) return double;
  const [first = "", ...rest] = character.toUpperCase();
  return first + rest.join("").toLowerCase();
}

const TITLE_DOUBLES: ReadonlyMap<string, string> = new Map([
  ["Ǆ", "ǅ"],
  ["Ǉ", "ǈ"],
  ["Ǌ", "ǋ"],
  ["Ǳ", "ǲ"],
]);

export function capitalize(text: string): string {
  const [first = ""] = text;
  return titleCharacter(first) + text.slice(first.length).toLowerCase();
}

/** Each run of letters with its first in capitals. */
export function title(text: string): string {
  let result = "";
  let inWord = false;
  for (const character of text) {
    result += inWord ? character.toLowerCase() : titleCharacter(character);
    inWord = CASED.test(character);
  }
  return result;
}

export function swapCase(text: string): string {
  let result = "";
  for (const character of text) {
    result += UPPER.test(character) ? character.toLowerCase() : character.toUpperCase();
  }
  return result;
}

export const isUpper = (text: string): boolean => UPPER.test(text) && !LOWER.test(text) && !/\p{Lt}/u.test(text);
export const isLower = (text: string): boolean => LOWER.test(text) && !UPPER.test(text);

export function isTitle(text: string): boolean {
  let inWord = false;
  let found = false;
  for (const character of text) {
    const isUpperCase = UPPER.test(character);
    const isCased = CASED.test(character);
    if (isCased && isUpperCase === inWord) return false;
    found ||= isCased;
    inWord = isCased;
  }
  return found;
}
