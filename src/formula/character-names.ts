import { spendSteps } from "./budget.ts";

/** Unicode's names of characters, as the module that has them gives them. */
interface Names {
  unicodeBaseName(character: string): string | undefined;
}

/** Its tables are large: only formulas that ask for names wait for them. */
const names = (): Names => require("unicode-name") as Names;

/** Where characters have names of their own; in between they are told by their numbers, or have none. */
const NAMED: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x33ff],
  [0x4dc0, 0x4dff],
  [0xa000, 0xabff],
  [0xd7b0, 0xd7ff],
  [0xf900, 0x16fff],
  [0x18800, 0x1fbff],
  [0xe0000, 0xe01ff],
];

let codes: ReadonlyMap<string, number> | undefined;

function readCodes(): ReadonlyMap<string, number> {
  const { unicodeBaseName } = names();
  const found = new Map<string, number>();
  for (const [first, last] of NAMED) {
    for (let code = first; code <= last; code++) {
      const name = unicodeBaseName(String.fromCodePoint(code));
      if (name !== undefined) found.set(name, code);
    }
  }
  return found;
}

const NUMBERED =
  /^(?:CJK UNIFIED|CJK COMPATIBILITY|TANGUT|NUSHU|KHITAN SMALL SCRIPT) (?:IDEOGRAPH|CHARACTER)-([\dA-F]{4,5})$/;
const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;

/** The character of a name, in letters of any case; undefined if there is none. */
export function characterByName(given: string): string | undefined {
  const name = given.toUpperCase();
  const number = NUMBERED.exec(name)?.[1];
  if (number !== undefined) {
    const character = String.fromCodePoint(Number.parseInt(number, 16) % 0x110000);
    return names().unicodeBaseName(character) === name ? character : undefined;
  }
  if (name.startsWith("HANGUL SYLLABLE ")) return syllableByName(name);
  codes ??= readCodes();
  const code = codes.get(name);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

function syllableByName(name: string): string | undefined {
  for (let code = FIRST_SYLLABLE; code <= LAST_SYLLABLE; code++) {
    const character = String.fromCodePoint(code);
    if (names().unicodeBaseName(character) === name) return character;
  }
  return undefined;
}

/** The name of a character; undefined if it has none. */
export function nameOfCharacter(character: string): string | undefined {
  spendSteps(200);
  return names().unicodeBaseName(character);
}
