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

/** JavaScript writes 0 and numbers from the first to below the second without an exponent. */
const [MIN_PLAIN, MAX_PLAIN] = [1e-6, 1e21];

/**
 * Adds a fast path without Intl for numbers that JavaScript writes without an exponent.
 * @param decimals maximum number of decimals; negative if the fast path never applies
 */
function withFastPath(format: NumberFormatter, decimals: number): NumberFormatter {
  if (decimals < 0) return format;
  return {
    format(value) {
      const size = Math.abs(value);
      // Infinity, NaN and -0 are formatted by Intl, like numbers that JavaScript writes with an exponent.
      if (!(size >= MIN_PLAIN && size < MAX_PLAIN) && !Object.is(value, 0)) return format.format(value);
      const text = String(value);
      if (Number.isInteger(value)) return text;
      const end = text.indexOf(".") + 1 + decimals;
      return text.length <= end ? text : roundDecimalText(text, end);
    },
  };
}

const [DIGIT_0, DIGIT_5, DIGIT_9, POINT] = [48, 53, 57, 46];

/** Rounds a decimal number at a position, half away from zero, without trailing zeros. */
function roundDecimalText(text: string, end: number): string {
  const removed = text.charCodeAt(end) >= DIGIT_5 ? DIGIT_9 : DIGIT_0;
  // Digits that a carry turns to zeros are dropped like zeros.
  let last = end - 1;
  while (text.charCodeAt(last) === removed) last--;
  if (removed === DIGIT_0) return text.slice(0, text.charCodeAt(last) === POINT ? last : last + 1);
  if (text.charCodeAt(last) === POINT) return incrementInteger(text.slice(0, last));
  return text.slice(0, last) + String.fromCharCode(text.charCodeAt(last) + 1);
}

/** Increments the last digit of an integer, with carry. */
function incrementInteger(text: string): string {
  const nines = /9*$/.exec(text)?.[0].length ?? 0;
  const before = text.slice(0, text.length - nines);
  const digit = before.charCodeAt(before.length - 1);
  const higher = digit >= DIGIT_0 ? before.slice(0, -1) + String.fromCharCode(digit + 1) : `${before}1`;
  return higher + "0".repeat(nines);
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
