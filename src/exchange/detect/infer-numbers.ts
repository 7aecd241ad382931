import { currencyOf } from "../../values/currencies.ts";
import { numberLocale } from "../../values/number-locale.ts";
import { MIN_MATCH_SHARE } from "./inferred-column.ts";
import { currencyOfSign } from "./currency-signs.ts";
import type { ColumnEvidence, NumberEvidence } from "./evidence.ts";
import { isApostrophe } from "./locales.ts";
import type { DecimalSign } from "./number-text.ts";

/**
 * Returns true if enough of a column's texts match to determine its type. Placeholders count unless all other texts
 * match.
 */
export function hasEnoughMatches(fits: number, { texts, placeholders }: ColumnEvidence): boolean {
  return fits > 0 && (fits === texts - placeholders || fits >= MIN_MATCH_SHARE * texts);
}

/** Returns true if placeholders are the only texts of a column that do not match. */
export const hasNulls = (fits: number, { texts, placeholders }: ColumnEvidence): boolean =>
  placeholders > 0 && fits === texts - placeholders;

/** Returns the decimal separator that a column proves; `open` if both yield numbers, but different ones. */
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

/** Returns the codes of the currencies in a column. */
export function currenciesOf({ currencies }: ColumnEvidence, local: string): string[] {
  return [...new Set(Object.keys(currencies).map((sign) => currencyOfSign(sign, local)))];
}

/** Returns true if the numbers of a column are of several kinds, so that the number alone would lose information. */
export function hasMixedKinds(column: ColumnEvidence, decimal: DecimalSign, local: string): boolean {
  const way = column.notations[decimal];
  if (column.percents > 0 && column.percents < way.matches) return true;
  const currencies = currenciesOf(column, local);
  if (currencies.length > 1) return true;
  if (currencies.length > 0 || column.percents > 0 || way.minDecimals === way.maxDecimals) return false;
  // `1.9` and `1.10` are versions; measurements have a fixed or minimum number of decimals, or none of them ends in
  // zero.
  return way.zeroDecimals > 1 && leastDecimals(way) === 0;
}

/** Returns the number of decimals that all numbers of a column have, padded with zeros; 0 if they differ. */
const leastDecimals = ({ whole, zeroDecimals, minDecimals }: NumberEvidence): number =>
  whole === 0 && zeroDecimals === minDecimals ? minDecimals : 0;

/** Maximum number of decimals that Intl displays by default for grouped numbers. */
const INTL_DEFAULT_DECIMALS = 3;
const MAX_DECIMALS = 10;

/** Returns the column options that display its numbers as they were written. */
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
    // A locale has one of the two apostrophes, the file may use the other.
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
  // Without explicit decimals, currency mode uses the currency's default, not that of the texts.
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
