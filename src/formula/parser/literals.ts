import { characterByName } from "../runtime/text/character-names.ts";
import { syntaxError } from "../runtime/errors.ts";

/** Returns the value of a numeric literal: bigint for an int, number for a float. Throws PyError SyntaxError. */
export function parseNumericLiteral(literal: string): bigint | number {
  if (!NUMBER.test(literal)) throw syntaxError("invalid number");
  const digits = literal.replaceAll("_", "");
  if (/^0[xob]/i.test(digits)) return BigInt(digits.toLowerCase());
  if (/[.e]/i.test(digits)) return Number(digits);
  if (/^0+[1-9]/.test(digits)) throw syntaxError("leading zeros in decimal integer literals are not permitted");
  if (digits.length > MAX_INT_DIGITS) throw syntaxError("the number has too many digits");
  return BigInt(digits);
}

/** Python's limit for conversions between decimal strings and ints. */
export const MAX_INT_DIGITS = 4300;

const NUMBER = new RegExp(
  String.raw`^(?:0x(?:_?[\da-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+|` +
    String.raw`(?:D\.?(?:D)?|\.D)(?:e[+-]?D)?)$`.replaceAll("D", String.raw`\d(?:_?\d)*`),
  "i",
);

/** The parts of a string literal. */
export interface StringLiteral {
  /** In lower case, such as `rf`. */
  readonly prefix: string;
  /** `'` or `"""` */
  readonly quote: string;
  /** Offsets of the contents within the literal. */
  readonly from: number;
  readonly to: number;
}

/** Splits a literal such as `rb'…'` into its parts. */
export function splitStringLiteral(literal: string): StringLiteral {
  const [, prefix = "", quote = ""] = /^([a-zA-Z]*)("""|'''|"|')/.exec(literal) ?? [];
  const from = prefix.length + quote.length;
  return { prefix: prefix.toLowerCase(), quote, from, to: Math.max(from, literal.length - quote.length) };
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);

const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|N\{([^}]*)\}|([^]))/g;

/** Replaces the escapes of a string literal's contents. Unknown escapes are preserved. Throws PyError SyntaxError. */
export function unescapeText(contents: string): string {
  if (!contents.includes("\\")) return contents;
  return contents.replace(ESCAPE, (whole, octal, hex2, hex4, hex8, named, other: string | undefined) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    const hex: string | undefined = hex2 ?? hex4 ?? hex8;
    if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
    if (named !== undefined) return requireNamedCharacter(String(named));
    if (other === "x" || other === "u" || other === "U" || other === "N") {
      throw syntaxError(`(unicode error) truncated \\${other} escape`);
    }
    return SIMPLE_ESCAPES.get(other ?? "") ?? whole;
  });
}

function requireNamedCharacter(name: string): string {
  const character = characterByName(name);
  if (character === undefined) throw syntaxError(`(unicode error) unknown Unicode character name '${name}'`);
  return character;
}

/** Replaces the escapes of a bytes literal's contents, where character escapes do not exist. */
export function unescapeBytes(contents: string): string {
  return contents.replace(BYTE_ESCAPE, (whole, octal, hex: string | undefined, other: string | undefined) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    if (other === "x") throw syntaxError("(value error) invalid \\x escape");
    return SIMPLE_ESCAPES.get(other ?? "") ?? whole;
  });
}

const BYTE_ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|([^]))/g;

function codePoint(code: number): string {
  if (code > 0x10ffff) throw syntaxError("(unicode error) illegal Unicode character");
  return String.fromCodePoint(code);
}
