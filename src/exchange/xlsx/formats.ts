import type { WidgetOptions } from "../../values/column-type.ts";
import { dateOptions } from "../../values/guess-dates.ts";
import { currencyOfCountry } from "../currency-countries.ts";

/**
 * Converts number formats of workbooks to column options, so that an import preserves the appearance of numbers and
 * dates.
 */

/** Options for columns of numbers or dates; `texts` for a format that declares cells to be text. */
export interface ColumnFormat {
  readonly of: "numbers" | "dates" | "texts";
  readonly options: WidgetOptions;
}

/**
 * Built-in formats, by id. Omits formats that depend on the computer's settings (14, 22) and formats that columns do not
 * support, such as fractions.
 */
const BUILT_IN_FORMATS: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  5: '"¤"#,##0',
  6: '"¤"#,##0',
  7: '"¤"#,##0.00',
  8: '"¤"#,##0.00',
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  37: "#,##0;(#,##0)",
  38: "#,##0;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
  49: "@",
};

/** Returns the code of a format: the workbook's own, or the built-in one. */
export const formatCode = (id: number, customCode: string | undefined): string | undefined =>
  customCode ?? BUILT_IN_FORMATS[id];

/** Converts a format code to column options; null if columns do not support it. */
export function columnFormat(code: string, { isDate }: { isDate: boolean }): ColumnFormat | null {
  if (code.trim() === "@") return { of: "texts", options: {} };
  const options = isDate ? dateFormat(code) : numberFormat(code);
  return options && { of: isDate ? "dates" : "numbers", options };
}

/** Quoted text, brackets, escaped characters, character-wide blanks, and fillers. */
const FORMAT_LITERALS = /"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g;
const DIGITS = /^[^#0?]*([#0?][#0?,]*)(?:\.([#0?]*))?(E[+-]0+)?\D*$/i;

function numberFormat(code: string): WidgetOptions | null {
  const [positive = "", negative = ""] = sectionsOf(code);
  const bare = positive.replaceAll(FORMAT_LITERALS, "");
  const isParenthesized = negative.replaceAll(FORMAT_LITERALS, "").includes("(");
  if (isParenthesized && bare.trim().toLowerCase() === "general") return { numSign: "parens" };
  const [, whole = "", fraction = "", exponent] = DIGITS.exec(bare.trim()) ?? [];
  // A comma after the digits scales by a thousand, which columns do not support.
  if (whole === "" || whole.endsWith(",") || /[/@]/.test(bare)) return null;
  const decimals = {
    decimals: fraction.replaceAll(/[^0]/g, "").length,
    maxDecimals: fraction.length,
    ...(isParenthesized && { numSign: "parens" }),
  };
  const currency = currencyOfFormat(positive);
  if (currency) return { numMode: "currency", ...(currency.code && { currency: currency.code }), ...decimals };
  if (exponent) return { numMode: "scientific", ...decimals };
  if (bare.includes("%")) return { numMode: "percent", ...decimals };
  return whole.includes(",") ? { numMode: "decimal", ...decimals } : decimals;
}

/** Splits a code into its sections for positive, negative, zero and text, separated by semicolons outside of quotes. */
const sectionsOf = (code: string): string[] => code.match(/(?:"[^"]*"|\\.|[^;"])+/g) ?? [];

const CURRENCIES: Readonly<Record<string, string>> = {
  $: "USD",
  US$: "USD",
  CA$: "CAD",
  A$: "AUD",
  "€": "EUR",
  "£": "GBP",
  "¥": "JPY",
  "￥": "JPY",
  "₹": "INR",
  "₽": "RUB",
  "₩": "KRW",
  "₺": "TRY",
  "₪": "ILS",
  "₴": "UAH",
  zł: "PLN",
  Kč: "CZK",
  Ft: "HUF",
  R$: "BRL",
  "Fr.": "CHF",
  // The document's currency.
  "¤": "",
};

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Finds the currency in a format: by its sign or code, in brackets, in quotes, or bare. */
function currencyOfFormat(code: string): { readonly code: string } | null {
  const named = [...code.matchAll(/\[\$([^\]-]*)(?:-([0-9A-F]*)[^\]]*)?\]|"([^"]*)"|([$€£¥])/gi)];
  for (const [, bracketed, country = "", quoted, plain] of named) {
    const sign = (bracketed ?? quoted ?? plain ?? "").trim();
    // Formats of dates and numbers name a country without a sign.
    const local = sign === "" ? undefined : currencyOfCountry(country);
    const known = local ?? (CODES.has(sign) ? sign : Object.hasOwn(CURRENCIES, sign) ? CURRENCIES[sign] : undefined);
    if (known !== undefined) return { code: known };
  }
  return null;
}

interface Token {
  readonly of: "date" | "time" | "text";
  readonly text: string;
}

const TOKENS = /d(?:dd)?""|"[^"]*"|\[[^\]]*\]|\\.|_.|\*.|AM\/PM|A\/P|y+|m+|d+|h+|s+(?:\.0+)?|[^"[\\_*ymdhs]/gi;

/** Converts the date and time parts of a format; null if columns do not support a part. */
function dateFormat(code: string): WidgetOptions | null {
  const [section = ""] = sectionsOf(code);
  const tokens: Token[] = [];
  const parts = section.match(TOKENS) ?? [];
  const isTwelve = parts.some((part) => /^a/i.test(part));
  for (const [at, part] of parts.entries()) {
    // Elapsed hours, minutes and seconds are durations.
    if (/^\[[hms]+\]$/i.test(part)) return null;
    tokens.push(formatToken(part, { isMinute: isMinute(parts, at), isTwelve }));
  }
  const date = formatPart(tokens, "date");
  return date === "" ? null : dateOptions(date, formatPart(tokens, "time") || undefined);
}

function formatToken(part: string, { isMinute: isTime, isTwelve }: { isMinute: boolean; isTwelve: boolean }): Token {
  const lower = part.toLowerCase();
  const { length } = part;
  switch (lower.slice(0, 1)) {
    case "y":
      return { of: "date", text: length > 2 ? "YYYY" : "YY" };
    case "d":
      if (part.endsWith('""')) return { of: "date", text: part.length === 3 ? "Do" : "dd" };
      return { of: "date", text: length > 2 ? "d".repeat(Math.min(length, 4)) : lower.toUpperCase() };
    case "m":
      if (isTime) return { of: "time", text: lower };
      return { of: "date", text: "M".repeat(Math.min(length, 4)) };
    case "h":
      return { of: "time", text: isTwelve ? lower : lower.toUpperCase() };
    case "s":
      return { of: "time", text: lower.replace(/\..*/, "") };
    case "a":
      return { of: "time", text: part === lower ? "a" : "A" };
    case "[":
    case "*":
      return { of: "text", text: "" };
    default: {
      const literal = part.startsWith('"') ? part.slice(1, -1) : part.replace(/^[\\]/, "").replace(/^_./, " ");
      return { of: "text", text: /[a-z]/i.test(literal) ? `[${literal}]` : literal };
    }
  }
}

/** Returns true for an m after an hour or before a second, which means minutes. */
function isMinute(parts: readonly string[], at: number): boolean {
  const isLetters = (part: string) => /^[ymdhs]/i.test(part);
  const before = parts.slice(0, at).findLast(isLetters);
  const after = parts.slice(at + 1).find(isLetters);
  return /^h/i.test(before ?? "") || /^s/i.test(after ?? "");
}

/**
 * Returns the format from the first token of a kind to the last, with the texts between them, before the first or after
 * the last token overall.
 */
function formatPart(tokens: readonly Token[], kind: "date" | "time"): string {
  const other = kind === "date" ? "time" : "date";
  const from = tokens.findIndex(({ of }) => of === kind);
  if (from < 0) return "";
  const to = tokens.findLastIndex(({ of }) => of === kind);
  const isFirst = tokens.slice(0, from).every(({ of }) => of === "text");
  const isLast = tokens.slice(to + 1).every(({ of }) => of === "text");
  return tokens
    .slice(isFirst ? 0 : from, isLast ? tokens.length : to + 1)
    .filter(({ of }) => of !== other)
    .map(({ text }) => text)
    .join("")
    .trim();
}

/**
 * Returns true if the first format displays whole numbers like the second one, which has decimals for other numbers.
 */
export function isWholeFormOf({ of, options: whole }: ColumnFormat, { options: other }: ColumnFormat): boolean {
  const hasNone = whole.decimals === 0 && whole["maxDecimals"] === 0;
  return of === "numbers" && hasNone && other.decimals === 0 && LOOKS.every((name) => whole[name] === other[name]);
}

const LOOKS = ["numMode", "currency", "numSign"];
