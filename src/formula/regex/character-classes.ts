import { SPACE_CLASS } from "../runtime/text/text.ts";
import type { CharacterTest } from "./regex-node.ts";

/** Returns a character class test that caches the results for code points up to U+00FF. */
function cachedTest(pattern: RegExp): CharacterTest {
  const known = Array.from({ length: 256 }, (_, code) => pattern.test(String.fromCharCode(code)));
  return (code) => (code < 256 ? (known[code] ?? false) : pattern.test(String.fromCodePoint(code)));
}

const DIGIT = cachedTest(/\p{Nd}/u);
const WORD = cachedTest(/[\p{L}\p{N}_]/u);
const SPACE = cachedTest(new RegExp(SPACE_CLASS));
const ASCII_DIGIT = cachedTest(/[0-9]/);
const ASCII_WORD = cachedTest(/[A-Za-z0-9_]/);
const ASCII_SPACE = cachedTest(/[ \t\n\r\f\v]/);

export const isWord = (ascii: boolean): CharacterTest => (ascii ? ASCII_WORD : WORD);

export const negate =
  (test: CharacterTest): CharacterTest =>
  (code) =>
    !test(code);

/** Returns the class of `\d`, `\W` and similar escapes; undefined for other letters. */
export function categoryOf(letter: string, ascii: boolean): CharacterTest | undefined {
  switch (letter) {
    case "d":
      return ascii ? ASCII_DIGIT : DIGIT;
    case "D":
      return negate(ascii ? ASCII_DIGIT : DIGIT);
    case "w":
      return isWord(ascii);
    case "W":
      return negate(isWord(ascii));
    case "s":
      return ascii ? ASCII_SPACE : SPACE;
    case "S":
      return negate(ascii ? ASCII_SPACE : SPACE);
    default:
      return undefined;
  }
}

/** Returns all case variants of a character, including itself. */
export function casesOf(code: number, ascii: boolean): number[] {
  const character = String.fromCodePoint(code);
  if (ascii && code > 127) return [code];
  const others = [character.toLowerCase(), character.toUpperCase()]
    .filter((other) => Array.from(other).length === 1)
    .map((other) => other.codePointAt(0) ?? code)
    .filter((other) => !ascii || other < 128);
  return [...new Set([code, ...others])];
}

/** Returns a class that also contains the case variants of its characters. */
export const ignoringCase =
  (test: CharacterTest, ascii: boolean): CharacterTest =>
  (code) =>
    test(code) || casesOf(code, ascii).some(test);

/** Returns a class of one character and, with `ignoreCase`, its case variants. */
export function singleCharacter(code: number, ignoreCase: boolean, ascii: boolean): CharacterTest {
  const cases = ignoreCase ? casesOf(code, ascii) : [code];
  if (cases.length === 1) return (candidate) => candidate === code;
  return (candidate) => candidate === code || cases.includes(candidate);
}

/** Returns true when two characters differ only by case. */
export const sameCase = (left: number, right: number): boolean =>
  left === right || casesOf(left, false).includes(right) || casesOf(right, false).includes(left);
