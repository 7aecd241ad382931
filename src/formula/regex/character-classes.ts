import { SPACE_CLASS } from "../runtime/text/text.ts";
import type { CharacterTest } from "./regex-node.ts";

/** Classes of characters: of those up to U+00FF the answers are kept. */
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

/** What `\d`, `\W` and so on stand for; undefined for other letters. */
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

/** The other cases of a character, itself included. */
export function casesOf(code: number, ascii: boolean): number[] {
  const character = String.fromCodePoint(code);
  if (ascii && code > 127) return [code];
  const others = [character.toLowerCase(), character.toUpperCase()]
    .filter((other) => Array.from(other).length === 1)
    .map((other) => other.codePointAt(0) ?? code)
    .filter((other) => !ascii || other < 128);
  return [...new Set([code, ...others])];
}

/** A class that also takes other cases of its characters. */
export const ignoringCase =
  (test: CharacterTest, ascii: boolean): CharacterTest =>
  (code) =>
    test(code) || casesOf(code, ascii).some(test);

/** A character and, if asked, its other cases. */
export function singleCharacter(code: number, ignoreCase: boolean, ascii: boolean): CharacterTest {
  const cases = ignoreCase ? casesOf(code, ascii) : [code];
  if (cases.length === 1) return (candidate) => candidate === code;
  return (candidate) => candidate === code || cases.includes(candidate);
}

/** True when two characters are one but for their case. */
export const sameCase = (left: number, right: number): boolean =>
  left === right || casesOf(left, false).includes(right) || casesOf(right, false).includes(left);
