import type { NumberLocale } from "./number-locale.ts";
import type { WidgetOptions } from "./types/type-interfaces.ts";

/** A column's way of showing numbers, made once and used for many. */
export interface NumberFormatter {
  format(value: number): string;
}

/** Without a mode numbers have no groups and this many decimals at most. */
const DEFAULT_DECIMALS = 10;
const MAX_DECIMALS = 20;

/**
 * How a column shows numbers by its options: `numMode` decimal, currency, percent or scientific; `decimals` at least
 * and `maxDecimals` at most; `numSign` "parens" for negative ones in parentheses; `groupSeparator` for the apostrophe
 * between groups of digits in Switzerland, which is one of two. `decimals` is what a type shows
 * without any options: 0 in whole numbers.
 */
export function numberFormatter(
  options: WidgetOptions,
  locale: NumberLocale,
  decimals = DEFAULT_DECIMALS,
): NumberFormatter {
  const format = withFastPath(
    withGroupSeparator(new Intl.NumberFormat(locale.locale, formatOptions(options, locale, decimals)), options, locale),
    isPlain(options, locale) ? decimals : -1,
  );
  if (options.numSign !== "parens") return format;
  return { format: (value) => (value < 0 ? `(${format.format(-value)})` : ` ${format.format(value)} `) };
}

const APOSTROPHES: readonly unknown[] = ["'", "’"];

/** The same with the other apostrophe between groups of digits, where the column has it and the locale does not. */
function withGroupSeparator(
  format: Intl.NumberFormat,
  { groupSeparator }: WidgetOptions,
  { group }: NumberLocale,
): NumberFormatter {
  if (typeof groupSeparator !== "string" || groupSeparator === group) return format;
  if (!APOSTROPHES.includes(group) || !APOSTROPHES.includes(groupSeparator)) return format;
  return { format: (value) => format.format(value).replaceAll(group, groupSeparator) };
}

/** True when numbers are shown as JavaScript writes them itself, as far as that has no exponent. */
const isPlain = ({ numMode, decimals, maxDecimals }: WidgetOptions, { digits, decimal }: NumberLocale): boolean =>
  !NUMBER_MODES.includes(numMode as string) &&
  decimals === undefined &&
  maxDecimals === undefined &&
  !digits &&
  decimal === ".";

/**
 * The same, quicker for most numbers: what JavaScript writes without an exponent needs no Intl.
 * @param decimals at most so many are shown; negative where that does not hold for any number
 */
function withFastPath(format: NumberFormatter, decimals: number): NumberFormatter {
  if (decimals < 0) return format;
  return {
    format(value) {
      const text = String(value);
      // Infinity and NaN are written otherwise, and so is a zero below zero.
      if (!Number.isFinite(value) || text.includes("e") || Object.is(value, -0)) return format.format(value);
      const point = text.indexOf(".");
      return point < 0 || text.length - point - 1 <= decimals ? text : roundDecimalText(text, point + 1 + decimals);
    },
  };
}

/** A decimal number cut off before a place, half away from zero, without zeros at its end. */
function roundDecimalText(text: string, end: number): string {
  let truncated = text.slice(0, end);
  if (text.charCodeAt(end) >= 53 /* 5 */) truncated = incrementLastDigit(truncated);
  return truncated.replace(/\.?0*$/, "");
}

/** A decimal number with its last digit one higher. */
function incrementLastDigit(text: string): string {
  const nines = /[9.]*$/.exec(text)?.[0] ?? "";
  const before = text.slice(0, text.length - nines.length);
  const digit = before.charCodeAt(before.length - 1);
  const higher = digit >= 48 ? before.slice(0, -1) + String.fromCharCode(digit + 1) : `${before}1`;
  return higher + nines.replaceAll("9", "0");
}

/** The least and the most decimals that a column shows; in percent those of the percentage. */
export function shownDecimals(
  options: WidgetOptions,
  locale: NumberLocale,
  decimals = DEFAULT_DECIMALS,
): { readonly least: number; readonly most: number } {
  const { minimumFractionDigits: least = 0, maximumFractionDigits: most = 0 } = formatOptions(
    options,
    locale,
    decimals,
  );
  return { least, most };
}

function formatOptions(options: WidgetOptions, locale: NumberLocale, decimals: number): Intl.NumberFormatOptions {
  const mode = modeOptions(options.numMode, locale);
  const defaults = mode && new Intl.NumberFormat(locale.locale, mode).resolvedOptions();
  const defaultMinDecimals = defaults?.minimumFractionDigits ?? 0;
  const defaultMaxDecimals = defaults ? (defaults.maximumFractionDigits ?? 0) : decimals;
  const maxDecimals = decimalsOf(options.maxDecimals);
  const minimumFractionDigits =
    decimalsOf(options.decimals) ?? Math.min(defaultMinDecimals, maxDecimals ?? defaultMinDecimals);
  const maximumFractionDigits = Math.max(minimumFractionDigits, maxDecimals ?? defaultMaxDecimals);
  return { ...(mode ?? { useGrouping: false }), minimumFractionDigits, maximumFractionDigits };
}

/** What a mode means to Intl; undefined without one. */
function modeOptions(mode: unknown, { currency }: NumberLocale): Intl.NumberFormatOptions | undefined {
  switch (mode) {
    case "decimal":
      return { useGrouping: true };
    case "currency":
      return { style: "currency", currency, currencyDisplay: "narrowSymbol" };
    case "percent":
      return { style: "percent" };
    case "scientific":
      return { notation: "scientific" };
    default:
      return undefined;
  }
}

const NUMBER_MODES = ["decimal", "currency", "percent", "scientific"];

function decimalsOf(option: unknown): number | undefined {
  return typeof option === "number" && Number.isInteger(option) && option >= 0
    ? Math.min(option, MAX_DECIMALS)
    : undefined;
}
