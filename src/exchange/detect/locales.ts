import { currencyOf } from "../../values/currencies.ts";
import { numberLocale } from "../../values/number-locale.ts";
import type { DateOrder } from "./date-text.ts";
import type { DecimalSign } from "./number-text.ts";

/** Candidate locales, the most common first. */
const LOCALE_CANDIDATES = [
  "en-US de-DE fr-FR en-GB de-CH es-ES it-IT pt-BR nl-NL pl-PL sv-SE da-DK nb-NO fi-FI cs-CZ tr-TR ru-RU uk-UA",
  "hu-HU ro-RO el-GR pt-PT de-AT it-CH es-MX en-CA en-AU en-IE en-ZA fr-CA fr-BE nl-BE ja-JP zh-CN ko-KR he-IL",
].flatMap((names) => names.split(" "));

/** Returns the decimal separator of a locale; a point if it is neither point nor comma. */
export const decimalOf = (locale: string): DecimalSign => (numberLocale(locale, undefined).decimal === "," ? "," : ".");

/**
 * Returns true if a locale uses the decimal separator in currency amounts, too. Some locales use another one there,
 * which matches no file.
 */
function usesDecimalEverywhere(locale: string, decimal: DecimalSign): boolean {
  const money = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" }).formatToParts(1.5);
  return decimalOf(locale) === decimal && money.find(({ type }) => type === "decimal")?.value === decimal;
}

const languageOf = (locale: string): string => locale.split("-")[0] ?? "";
/** Keyboards type one of them, typography uses the other. */
export const isApostrophe = (sign: string): boolean => sign === "'" || sign === "’";
const sameSeparator = (one: string, other: string): boolean =>
  one === other || (/\s/.test(one) && /\s/.test(other)) || (isApostrophe(one) && isApostrophe(other));

const groupsAsInIndia = (locale: string): boolean =>
  new Intl.NumberFormat(numberLocale(locale, undefined).locale, { numberingSystem: "latn" }).format(1_234_567) ===
  "12,34,567";

export interface NumberNotation {
  readonly decimal: DecimalSign;
  /** The group separator, if the file has one. */
  readonly group: string | undefined;
  /** The currency code in the file. */
  readonly currency: string | undefined;
  /** Whether groups have two digits, as in India. */
  readonly isIndian?: boolean;
}

/**
 * Returns the locale nearest to `locale` with this decimal separator: `locale` itself, else by priority one with the
 * file's group separator, one of the same language, one with the file's currency.
 */
export function nearestLocale(locale: string, { decimal, group, currency, isIndian }: NumberNotation): string {
  if (isIndian) {
    const nearest = [locale, `${languageOf(locale)}-IN`].find(groupsAsInIndia);
    return nearest ?? "en-IN";
  }
  if (decimalOf(locale) === decimal) return locale;
  let best = decimal === "," ? "de-DE" : "en-US";
  let bestScore = -1;
  for (const candidate of LOCALE_CANDIDATES) {
    if (!usesDecimalEverywhere(candidate, decimal)) continue;
    const isSameGroup = group !== undefined && sameSeparator(numberLocale(candidate, undefined).group, group);
    const score =
      (isSameGroup ? 5 : 0) +
      (languageOf(candidate) === languageOf(locale) ? 4 : 0) +
      (currency !== undefined && currencyOf(candidate) === currency ? 3 : 0);
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** Returns month-first only if a locale writes whole dates so; locales that begin with the year prove nothing. */
export function dateOrderOf(locale: string): DateOrder {
  const parts = new Intl.DateTimeFormat(numberLocale(locale, undefined).locale).formatToParts(0);
  const order = parts.map(({ type }) => type).filter((type) => type === "month" || type === "day" || type === "year");
  return order.join(" ") === "month day year" ? "mdy" : "dmy";
}
