import type { NumberLocale } from "./number-locale.ts";
import type { WidgetOptions } from "./types/contract.ts";

/** A column's way of showing numbers, made once and used for many. */
export interface NumberFormatter {
  format(value: number): string;
}

/** Without a mode numbers have no groups and this many decimals at most. */
const DEFAULT_DECIMALS = 10;
const MAX_DECIMALS = 20;

/**
 * How a column shows numbers by its options: `numMode` decimal, currency, percent or scientific; `decimals` at least
 * and `maxDecimals` at most; `numSign` "parens" for negative ones in parentheses. `decimals` is what a type shows
 * without any options: 0 in whole numbers.
 */
export function numberFormatter(
  options: WidgetOptions,
  locale: NumberLocale,
  decimals = DEFAULT_DECIMALS,
): NumberFormatter {
  const format = new Intl.NumberFormat(locale.locale, formatOptions(options, locale, decimals));
  if (options.numSign !== "parens") return format;
  return { format: (value) => (value < 0 ? `(${format.format(-value)})` : ` ${format.format(value)} `) };
}

function formatOptions(options: WidgetOptions, locale: NumberLocale, decimals: number): Intl.NumberFormatOptions {
  const mode = modeOptions(options.numMode, locale);
  const usual = mode && new Intl.NumberFormat(locale.locale, mode).resolvedOptions();
  const usualLeast = usual?.minimumFractionDigits ?? 0;
  const usualMost = usual ? (usual.maximumFractionDigits ?? 0) : decimals;
  const most = decimalsOf(options.maxDecimals);
  const minimumFractionDigits = decimalsOf(options.decimals) ?? Math.min(usualLeast, most ?? usualLeast);
  const maximumFractionDigits = Math.max(minimumFractionDigits, most ?? usualMost);
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

function decimalsOf(option: unknown): number | undefined {
  return typeof option === "number" && Number.isInteger(option) && option >= 0
    ? Math.min(option, MAX_DECIMALS)
    : undefined;
}
