import { spendSteps } from "../budget.ts";

/** The Unicode character names of the package `unicode-name`. */
interface Names {
  unicodeBaseName(character: string): string | undefined;
}

/** Its tables are large, so they are loaded on first use. */
const loadNames = (): Names => require("unicode-name") as Names;

/** Ranges of code points with individual names; names of others are derived from their numbers or do not exist. */
const NAMED_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x20, 0x33ff],
  [0x4dc0, 0x4dff],
  [0xa000, 0xabff],
  [0xd7b0, 0xd7ff],
  [0xf900, 0x16fff],
  [0x18800, 0x1fbff],
  [0xe0000, 0xe01ff],
];

let codeByName: ReadonlyMap<string, number> | undefined;

function loadCodePoints(): ReadonlyMap<string, number> {
  const { unicodeBaseName } = loadNames();
  const found = new Map<string, number>();
  for (const [first, last] of NAMED_RANGES) {
    for (let code = first; code <= last; code++) {
      const name = unicodeBaseName(String.fromCodePoint(code));
      if (name !== undefined) found.set(name, code);
    }
  }
  return found;
}

const NUMBERED_NAME =
  /^(?:CJK UNIFIED|CJK COMPATIBILITY|TANGUT|NUSHU|KHITAN SMALL SCRIPT) (?:IDEOGRAPH|CHARACTER)-([\dA-F]{4,5})$/;
const FIRST_HANGUL_SYLLABLE = 0xac00;
const LAST_HANGUL_SYLLABLE = 0xd7a3;

/** Returns the character with a name, ignoring case; undefined if it does not exist. */
export function characterByName(requestedName: string): string | undefined {
  const name = requestedName.toUpperCase();
  const number = NUMBERED_NAME.exec(name)?.[1];
  if (number !== undefined) {
    const character = String.fromCodePoint(Number.parseInt(number, 16) % 0x110000);
    return loadNames().unicodeBaseName(character) === name ? character : undefined;
  }
  if (name.startsWith("HANGUL SYLLABLE ")) return hangulSyllableByName(name);
  codeByName ??= loadCodePoints();
  const code = codeByName.get(name);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

function hangulSyllableByName(name: string): string | undefined {
  for (let code = FIRST_HANGUL_SYLLABLE; code <= LAST_HANGUL_SYLLABLE; code++) {
    const character = String.fromCodePoint(code);
    if (loadNames().unicodeBaseName(character) === name) return character;
  }
  return undefined;
}

/** Returns the name of a character; undefined if it has none. */
export function nameOfCharacter(character: string): string | undefined {
  spendSteps(200);
  return loadNames().unicodeBaseName(character);
}
