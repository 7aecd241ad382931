import { currencyOf } from "../../values/currencies.ts";
import { numberLocale } from "../../values/number-locale.ts";
import { MIN_MATCH_SHARE } from "./inferred-column.ts";
import { currencyOfSign } from "./currency-signs.ts";
import type { ColumnEvidence, NumberEvidence } from "./evidence.ts";
import { isApostrophe } from "./locales.ts";
import type { DecimalSign } from "./number-text.ts";

/** True when so many of a column's texts fit that they decide; placeholders count unless all other texts fit. */
export function hasEnoughMatches(fits: number, { texts, placeholders }: ColumnEvidence): boolean {
  return fits > 0 && (fits === texts - placeholders || fits >= MIN_MATCH_SHARE * texts);
}

/** True when placeholders are the only texts of a column that do not fit. */
export const hasNulls = (fits: number, { texts, placeholders }: ColumnEvidence): boolean =>
  placeholders > 0 && fits === texts - placeholders;

/** The way of writing numbers that a column proves; `open` where both give numbers, and other ones. */
export function unambiguousDecimal(column: ColumnEvidence): DecimalSign | "open" | null {
  if (column.codes > 0) return null;
  const { ".": point, ",": comma } = column.notations;
  const isPoint = hasEnoughMatches(point.matches, column);
  const isComma = hasEnoughMatches(comma.matches, column);
  if (isPoint !== isComma) return isPoint ? "." : ",";
  if (!isPoint) return null;
  if (point.matches !== comma.matches) return point.matches > comma.matches ? "." : ",";
  return point.maxDecimals > 0 || comma.maxDecimals > 0 ? "open" : null;
}

/** The codes of the currencies in a column. */
export function currenciesOf({ currencies }: ColumnEvidence, local: string): string[] {
  return [...new Set(Object.keys(currencies).map((sign) => currencyOfSign(sign, local)))];
}

/** True when numbers of a column are of several kinds, so that a number alone would not tell what was written. */
export function hasMixedKinds(column: ColumnEvidence, decimal: DecimalSign, local: string): boolean {
  const way = column.notations[decimal];
  if (column.percents > 0 && column.percents < way.matches) return true;
  const currencies = currenciesOf(column, local);
  if (currencies.length > 1) return true;
  if (currencies.length > 0 || column.percents > 0 || way.minDecimals === way.maxDecimals) return false;
  // `1.9` and `1.10` are versions; measures have a fixed or a least number of decimals, or none of them ends in zero.
  return way.zeroDecimals > 1 && leastDecimals(way) === 0;
}

/** The decimals that all numbers of a column have, filled up with zeros; 0 when they do not. */
const leastDecimals = ({ whole, zeroDecimals, minDecimals }: NumberEvidence): number =>
  whole === 0 && zeroDecimals === minDecimals ? minDecimals : 0;

/** The decimals that Intl shows for grouped numbers by default. */
const INTL_DEFAULT_DECIMALS = 3;
const MAX_DECIMALS = 10;

/** The options of a column that show its numbers as they were written. */
export function numberOptions(
  column: ColumnEvidence,
  decimal: DecimalSign,
  locale: string,
): Readonly<Record<string, unknown>> {
  const way = column.notations[decimal];
  const [currency] = currenciesOf(column, currencyOf(locale));
  const { group } = numberLocale(locale, undefined);
  const mode = modeOf(column, way, currency);
  return {
    ...(mode !== undefined && { numMode: mode }),
    ...(currency !== undefined && { currency }),
    ...(column.parenthesized > 0 && { numSign: "parens" }),
    ...decimalOptions(way, mode),
    // Locales have one of two apostrophes, files the other.
    ...(way.grouped > 0 && group !== column.group && isApostrophe(group) && isApostrophe(column.group)
      ? { groupSeparator: column.group }
      : {}),
  };
}

function modeOf(column: ColumnEvidence, way: NumberEvidence, currency: string | undefined): string | undefined {
  if (currency !== undefined) return "currency";
  if (column.percents > 0) return "percent";
  if (column.scientific === way.matches) return "scientific";
  return way.grouped > 0 ? "decimal" : undefined;
}

function decimalOptions(way: NumberEvidence, mode: string | undefined): Readonly<Record<string, number>> {
  const { maxDecimals, minDecimals, whole, zeroDecimals } = way;
  // Money without decimals named would follow the currency's habits, not those of the texts.
  if (maxDecimals === 0) return mode === "currency" ? { decimals: 0 } : {};
  const defaultDecimals = mode === undefined ? MAX_DECIMALS : mode === "decimal" ? INTL_DEFAULT_DECIMALS : 0;
  const maxOption = maxDecimals > defaultDecimals ? { maxDecimals } : {};
  if (minDecimals !== maxDecimals) {
    const least = leastDecimals(way);
    return { ...((least > 0 || mode === "currency") && { decimals: least }), ...maxOption };
  }
  if (whole === 0 || zeroDecimals > 1 || mode === "currency") return { decimals: maxDecimals };
  return maxOption;
}
