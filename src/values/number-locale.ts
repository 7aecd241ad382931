import { BoundedCache } from "../lib/bounded-cache.ts";
import { currencyOf } from "./currencies.ts";

/** Number notation of a locale. */
export interface NumberLocale {
  /** A locale that Intl accepts. */
  readonly locale: string;
  /** A currency code that Intl accepts. */
  readonly currency: string;
  readonly currencySymbols: readonly string[];
  readonly decimal: string;
  readonly group: string;
  readonly minus: string;
  readonly percent: string;
  /** Separates the mantissa and the exponent: "E". */
  readonly exponent: string;
  /** The locale's digits from 0 to 9, if they are not ASCII. */
  readonly digits: string | undefined;
}

const localeCache = new BoundedCache<string, NumberLocale>({ maxEntries: 1000 });

/**
 * Returns the notation of a locale; en-US for unknown ones. A missing or unknown currency defaults to the locale's own.
 */
export const numberLocale = (locale: string, currency: string | undefined): NumberLocale =>
  localeCache.get(`${locale} ${currency ?? ""}`, () => resolveNumberLocale(locale, currency));

function resolveNumberLocale(requestedLocale: string, requestedCurrency: string | undefined): NumberLocale {
  const locale = isLocale(requestedLocale) ? requestedLocale : "en-US";
  const currency = requestedCurrency && isCurrency(requestedCurrency) ? requestedCurrency : currencyOf(locale);
  const money = partsOf(locale, -1_234_567.5, { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  // Some languages do not group four digits by default, so this sample is longer.
  const plain = partsOf(locale, -1_234_567.5, {});
  const digits = new Intl.NumberFormat(locale, { useGrouping: false }).format(9_876_543_210);
  return {
    locale,
    currency,
    currencySymbols: equivalentSymbols(partValue(money, "currency")),
    decimal: partValue(plain, "decimal"),
    group: partValue(plain, "group"),
    minus: partValue(plain, "minusSign"),
    percent: partValue(partsOf(locale, 0.5, { style: "percent" }), "percentSign"),
    exponent: partValue(partsOf(locale, 12_345, { notation: "scientific" }), "exponentSeparator"),
    digits: digits === "9876543210" ? undefined : Array.from(digits).reverse().join(""),
  };
}

function partsOf(locale: string, value: number, options: Intl.NumberFormatOptions): Intl.NumberFormatPart[] {
  return new Intl.NumberFormat(locale, options).formatToParts(value);
}

const partValue = (parts: readonly Intl.NumberFormatPart[], type: string): string =>
  parts.find((part) => part.type === type)?.value ?? "";

/** The yen sign has a full-width form, which Japanese keyboards produce. */
const equivalentSymbols = (symbol: string): readonly string[] => (/^[¥￥]$/.test(symbol) ? ["¥", "￥"] : [symbol]);

function isLocale(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length > 0;
  } catch {
    return false;
  }
}

const isCurrency = (currency: string): boolean => /^[A-Z]{3}$/i.test(currency);
