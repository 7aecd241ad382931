import { numberLocale, type NumberLocale } from "./number-locale.ts";
import type { ParseSettings } from "./types/type-interfaces.ts";

/** A parsed number with its notation. */
export interface ParsedNumber {
  readonly value: number;
  readonly isCurrency: boolean;
  readonly isPercent: boolean;
  /** Parentheses denote a negative number. */
  readonly isParenthesized: boolean;
  readonly isGrouped: boolean;
  /** Number of digits after the decimal separator. */
  readonly decimals: number;
}

/** White space and the invisible marks for left-to-right and right-to-left text. */
const IGNORED_CHARACTERS = /[\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** Parses a number in the column's currency and the document's locale; returns undefined for other texts. */
export function parseNumber(text: string, settings: ParseSettings): number | undefined {
  return parseNumberDetails(text, numberLocaleOf(settings))?.value;
}

/** Returns the number notation of a column: its own currency first, then the document's, then the locale's. */
export function numberLocaleOf(settings: ParseSettings): NumberLocale {
  const columnCurrency = settings.widgetOptions?.currency;
  return numberLocale(
    settings.locale,
    typeof columnCurrency === "string" && columnCurrency ? columnCurrency : settings.currency,
  );
}

/** Like `parseNumber`, with the notation. */
export function parseNumberDetails(text: string, locale: NumberLocale): ParsedNumber | undefined {
  let rest = text;
  const drop = (sign: string): boolean => {
    const found = sign !== "" && rest.includes(sign);
    if (found) rest = rest.replace(sign, "");
    return found;
  };
  const isCurrency = locale.currencySymbols.some(drop);
  const isPercent = drop(locale.percent) || (locale.percent !== "%" && drop("%"));
  rest = rest.replace(IGNORED_CHARACTERS, "");
  const isParenthesized = rest.startsWith("(") && rest.endsWith(")");
  if (isParenthesized) rest = rest.slice(1, -1);
  const ungrouped = withoutGroups(rest, locale.group);
  const plain = toJavaScriptNumberText(ungrouped, locale);
  const size = plain === "" ? NaN : Number(plain);
  if (Number.isNaN(size) || (isParenthesized && !(size > 0))) return undefined;
  const signed = isParenthesized ? -size : size;
  return {
    value: isPercent ? signed * 0.01 : signed,
    isCurrency,
    isPercent,
    isParenthesized,
    isGrouped: ungrouped !== rest,
    decimals: /\.(\d*)/.exec(plain)?.[1]?.length ?? 0,
  };
}

/**
 * Removes group separators that at least two digits follow: groups have three digits in most locales, two or three in
 * India.
 */
function withoutGroups(text: string, group: string): string {
  if (group === "") return text;
  const parts = text.replaceAll("’", "'").split(group.replaceAll("’", "'"));
  return parts.reduce((done, part) => done + (/^\p{Nd}{2}/u.test(part) ? "" : group) + part);
}

/** Returns the text in JavaScript's number notation. */
function toJavaScriptNumberText(text: string, { decimal, minus, exponent, digits }: NumberLocale): string {
  let plain = text;
  if (digits)
    plain = plain.replaceAll(/\p{Nd}/gu, (digit) => (digits.includes(digit) ? String(digits.indexOf(digit)) : digit));
  if (decimal !== ".") plain = plain.replace(decimal, ".");
  // One before the number and one before its exponent.
  if (minus !== "-" && minus !== "") plain = plain.replace(minus, "-").replace(minus, "-");
  if (exponent !== "" && exponent !== "E") plain = plain.replace(exponent, "e");
  return plain;
}
