import { numberFormatter } from "./number-format.ts";
import type { NumberLocale } from "./number-locale.ts";
import { numberLocaleOf, parseNumberDetails, type ParsedNumber } from "./number-parse.ts";
import type { ParseSettings, WidgetOptions } from "./types/type-interfaces.ts";

/** Minimum share of values that must match a type. */
export const MIN_MATCH_SHARE = 0.9;

/**
 * Infers the number format of texts. Returns undefined unless most are numbers and one format reproduces all of these
 * exactly, except for whitespace and the kind of apostrophe.
 */
export function guessNumbers(
  texts: readonly string[],
  settings: ParseSettings,
): { type: string; widgetOptions: Readonly<Record<string, unknown>> } | undefined {
  const locale = numberLocaleOf({ ...settings, widgetOptions: undefined });
  const numbers: [string, ParsedNumber][] = [];
  for (const text of texts) {
    const number = parseNumberDetails(text, locale);
    if (number) numbers.push([text, number]);
  }
  if (numbers.length < MIN_MATCH_SHARE * texts.length) return undefined;
  const options = candidateFormats(numbers.map(([, number]) => number)).find((candidate) =>
    reproducesTexts(candidate, numbers, locale),
  );
  return options && { type: "Numeric", widgetOptions: options };
}

/** Returns candidate formats, the simplest first. */
function candidateFormats(numbers: readonly ParsedNumber[]): WidgetOptions[] {
  const numMode = modeOf(numbers);
  const sign = numbers.some((number) => number.isParenthesized) ? { numSign: "parens" } : {};
  const decimals = Math.max(...numbers.map((number) => number.decimals));
  const simple = { ...(numMode && { numMode }), ...sign };
  const exact = { ...simple, decimals };
  // Without explicit decimals, currency mode uses the currency's default, not that of the texts.
  return numMode === "currency" ? [exact] : [simple, exact, { ...simple, maxDecimals: decimals }];
}

function modeOf(numbers: readonly ParsedNumber[]): string | undefined {
  if (numbers.some((number) => number.isCurrency)) return "currency";
  if (numbers.some((number) => number.isPercent)) return "percent";
  return numbers.some((number) => number.isGrouped) ? "decimal" : undefined;
}

function reproducesTexts(
  options: WidgetOptions,
  numbers: readonly [string, ParsedNumber][],
  locale: NumberLocale,
): boolean {
  const formatter = numberFormatter(options, locale);
  return numbers.every(
    ([text, { value }]) => normalizeForComparison(formatter.format(value)) === normalizeForComparison(text),
  );
}

/** Removes whitespace and unifies apostrophes: both kinds separate groups in Switzerland. */
const normalizeForComparison = (text: string): string => text.replaceAll(/\s+/g, "").replaceAll("’", "'");
