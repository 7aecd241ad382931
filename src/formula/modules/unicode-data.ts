import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { characterByName, nameOfCharacter } from "../runtime/text/character-names.ts";
import { notSupported, PyError, typeError, valueError } from "../runtime/errors.ts";
import { parseIntText } from "../runtime/numbers/numbers.ts";
import { NOT_GIVEN, requireText } from "../runtime/signature.ts";
import { textLength } from "../runtime/text/text.ts";
import type { PyValue } from "../runtime/values.ts";
import { moduleFunction } from "./module-function.ts";
import { PyModule } from "./module.ts";

const CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co".split(" ");
const PATTERNS = CATEGORIES.map((name) => [name, new RegExp(`^\\p{${name}}$`, "u")] as const);

function requireCharacter(value: PyValue | undefined): string {
  const text = requireText(value);
  if (textLength(text) !== 1) throw typeError("need a single Unicode character as parameter");
  return text;
}

const FORMS: ReadonlySet<string> = new Set(["NFC", "NFD", "NFKC", "NFKD"]);

/**
 * One combining mark per class, in order of the classes: normalization sorts adjacent marks by class, which reveals the
 * class of a mark.
 */
const MARKS: readonly (readonly [combining: number, code: number])[] = [
  [1, 0x0334],
  [6, 0x16ff0],
  [7, 0x093c],
  [8, 0x3099],
  [9, 0x094d],
  ...[0x05b0, 0x05b1, 0x05b2, 0x05b3, 0x05b4, 0x05b5, 0x05b6, 0x05b7, 0x05b8, 0x05b9, 0x05bb, 0x05bc, 0x05bd, 0x05bf]
    .concat([0x05c1, 0x05c2, 0xfb1e, 0x064b, 0x064c, 0x064d, 0x064e, 0x064f, 0x0650, 0x0651, 0x0652, 0x0670, 0x0711])
    .map((code, index) => [10 + index, code] as const),
  [84, 0x0c55],
  [91, 0x0c56],
  [103, 0x0e38],
  [107, 0x0e48],
  [118, 0x0eb8],
  [122, 0x0ec8],
  [129, 0x0f71],
  [130, 0x0f72],
  [132, 0x0f74],
  [202, 0x0321],
  [214, 0x1dce],
  [216, 0x031b],
  [218, 0x302a],
  [220, 0x0316],
  [222, 0x059a],
  [224, 0x302e],
  [226, 0x1d16d],
  [228, 0x05ae],
  [230, 0x0300],
  [232, 0x0315],
  [233, 0x035c],
  [234, 0x035d],
  [240, 0x0345],
];

/** Returns true if normalization swaps the two marks. */
const isReordered = (first: string, second: string): boolean =>
  (first + second).normalize("NFD") === second + first && first !== second;

/** Returns 0 for characters that are not combining marks. */
function combiningClass(source: string): bigint {
  const character = source.normalize("NFD");
  if (!/^\p{M}/u.test(source) || textLength(character) !== 1) return 0n;
  spendSteps(1000);
  const moves = isReordered(character, "\u0334") || isReordered("\u0345", character);
  if (!moves) return 0n;
  const markIndex = MARKS.find(([, code]) => {
    const mark = String.fromCodePoint(code);
    return !isReordered(character, mark) && !isReordered(mark, character);
  });
  return BigInt(markIndex?.[0] ?? 0);
}

const SCRIPT_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function digitOf(character: string): number {
  const plain = character.normalize("NFKC");
  const at = SCRIPT_DIGITS.indexOf(character);
  if (at >= 0) return at;
  return Number(parseIntText(plain));
}

function digitFunction(name: string, pattern: RegExp): [string, PyValue] {
  return moduleFunction(
    name,
    "chr",
    ([source, defaultValue = null]) => {
      const character = requireCharacter(source);
      if (pattern.test(character)) return BigInt(digitOf(character));
      if (defaultValue === NOT_GIVEN) throw valueError(name === "digit" ? "not a digit" : "not a decimal");
      return defaultValue;
    },
    { default: NOT_GIVEN },
  );
}

/** Defines `numeric`: digits, fractions such as ½, and circled or otherwise decorated numbers. */
function numericFunction(): [string, PyValue] {
  return moduleFunction(
    "numeric",
    "chr",
    ([source, defaultValue = null]) => {
      const plain = requireCharacter(source).normalize("NFKC").replace("\u2044", "/").replaceAll(/[().]/g, "");
      const [, numerator, denominator] = /^(\p{Nd}+)(?:\/(\p{Nd}+))?$/u.exec(plain) ?? [];
      if (numerator !== undefined)
        return Number(parseIntText(numerator)) / (denominator === undefined ? 1 : Number(parseIntText(denominator)));
      if (/^\p{N}$/u.test(requireText(source))) throw notSupported("unicodedata.numeric() of this character");
      if (defaultValue === NOT_GIVEN) throw valueError("not a numeric character");
      return defaultValue;
    },
    { default: NOT_GIVEN },
  );
}

export const UNICODEDATA_MODULE = new PyModule(
  "unicodedata",
  new Map<string, PyValue>([
    moduleFunction("normalize", "form unistr", ([form, text]) => {
      const name = requireText(form);
      if (!FORMS.has(name)) throw valueError("invalid normalization form");
      spendBytes(requireText(text).length * 36);
      return requireText(text).normalize(name);
    }),
    moduleFunction("category", "chr", ([character]) => {
      const text = requireCharacter(character);
      spendSteps(32);
      return PATTERNS.find(([, pattern]) => pattern.test(text))?.[0] ?? "Cn";
    }),
    moduleFunction(
      "name",
      "chr",
      ([character, defaultValue = null]) => {
        const name = nameOfCharacter(requireCharacter(character));
        if (name !== undefined) return name;
        if (defaultValue === NOT_GIVEN) throw valueError("no such name");
        return defaultValue;
      },
      { default: NOT_GIVEN },
    ),
    moduleFunction("lookup", "name", ([name]) => {
      spendSteps(100_000);
      const character = characterByName(requireText(name));
      if (character !== undefined) return character;
      throw new PyError("KeyError", `undefined character name '${requireText(name)}'`);
    }),
    moduleFunction("combining", "chr", ([character]) => combiningClass(requireCharacter(character))),
    moduleFunction("mirrored", "chr", ([character]) =>
      /^\p{Bidi_Mirrored}$/u.test(requireCharacter(character)) ? 1n : 0n,
    ),
    digitFunction("decimal", /^\p{Nd}$/u),
    digitFunction("digit", /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]$/u),
    numericFunction(),
    moduleFunction("is_normalized", "form unistr", ([form, text]) => {
      if (!FORMS.has(requireText(form))) throw new PyError("ValueError", "invalid normalization form");
      return requireText(text).normalize(requireText(form)) === text;
    }),
  ]),
  "bidirectional decomposition east_asian_width UCD ucd_3_2_0 unidata_version",
);
