import type { NumberLocale } from "./number-locale.ts";
import type { WidgetOptions } from "./types/type-interfaces.ts";

/** Formats the numbers of a column; created once per column. */
export interface NumberFormatter {
  format(value: number): string;
}

/** Without a mode, numbers have no grouping and at most this many decimals. */
const DEFAULT_DECIMALS = 10;
const MAX_DECIMALS = 20;

/**
 * Creates a formatter from a column's options: `numMode` decimal, currency, percent or scientific; `decimals` is the
 * minimum and `maxDecimals` the maximum; `numSign` "parens" puts negative numbers in parentheses; `groupSeparator`
 * selects one of the two apostrophes that separate groups in Switzerland. The parameter `decimals` is the type's
 * default: 0 for integers.
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

/** Replaces the apostrophe between groups of digits if the column's differs from the locale's. */
function withGroupSeparator(
  format: Intl.NumberFormat,
  { groupSeparator }: WidgetOptions,
  { group }: NumberLocale,
): NumberFormatter {
  if (typeof groupSeparator !== "string" || groupSeparator === group) return format;
  if (!APOSTROPHES.includes(group) || !APOSTROPHES.includes(groupSeparator)) return format;
  return { format: (value) => format.format(value).replaceAll(group, groupSeparator) };
}

/** Returns true if the format equals JavaScript's own for numbers without an exponent. */
const isPlain = ({ numMode, decimals, maxDecimals }: WidgetOptions, { digits, decimal }: NumberLocale): boolean =>
  !NUMBER_MODES.includes(numMode as string) &&
  decimals === undefined &&
  maxDecimals === undefined &&
  !digits &&
  decimal === ".";

/**
 * Adds a fast path without Intl for numbers that JavaScript writes without an exponent.
 * @param decimals maximum number of decimals; negative if the fast path never applies
 */
function withFastPath(format: NumberFormatter, decimals: number): NumberFormatter {
  if (decimals < 0) return format;
  return {
    format(value) {
      const text = String(value);
      // Infinity, NaN and -0 are formatted by Intl.
      if (!Number.isFinite(value) || text.includes("e") || Object.is(value, -0)) return format.format(value);
      const point = text.indexOf(".");
      return point < 0 || text.length - point - 1 <= decimals ? text : roundDecimalText(text, point + 1 + decimals);
    },
  };
}

/** Rounds a decimal number at a position, half away from zero, without trailing zeros. */
function roundDecimalText(text: string, end: number): string {
  let truncated = text.slice(0, end);
  if (text.charCodeAt(end) >= 53 /* 5 */) truncated = incrementLastDigit(truncated);
  return truncated.replace(/\.?0*$/, "");
}

/** Increments the last digit of a decimal number, with carry. */
function incrementLastDigit(text: string): string {
  const nines = /[9.]*$/.exec(text)?.[0] ?? "";
  const before = text.slice(0, text.length - nines.length);
  const digit = before.charCodeAt(before.length - 1);
  const higher = digit >= 48 ? before.slice(0, -1) + String.fromCharCode(digit + 1) : `${before}1`;
  return higher + nines.replaceAll("9", "0");
}

/** Returns the minimum and maximum number of decimals; in percent mode those of the percentage. */
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

/** Returns the Intl options of a mode; undefined without one. */
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
