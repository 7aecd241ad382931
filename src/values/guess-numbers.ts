import { numberFormatter } from "./number-format.ts";
import type { NumberLocale } from "./number-locale.ts";
import { localeOf, readNumber, type ReadNumber } from "./number-parse.ts";
import type { ParseSettings, WidgetOptions } from "./types/contract.ts";

/** The share of values that must fit for a type to be taken. */
export const ENOUGH = 0.9;

/**
 * How these texts show numbers; undefined unless most are numbers and one format shows all of those exactly as they
 * are written, but for blanks and the kind of apostrophe.
 */
export function guessNumbers(
  texts: readonly string[],
  settings: ParseSettings,
): { type: string; widgetOptions: Readonly<Record<string, unknown>> } | undefined {
  const locale = localeOf({ ...settings, widgetOptions: undefined });
  const numbers: [string, ReadNumber][] = [];
  for (const text of texts) {
    const number = readNumber(text, locale);
    if (number) numbers.push([text, number]);
  }
  if (numbers.length < ENOUGH * texts.length) return undefined;
  const options = candidates(numbers.map(([, number]) => number)).find((candidate) =>
    shows(candidate, numbers, locale),
  );
  return options && { type: "Numeric", widgetOptions: options };
}

/** Formats worth trying, the simplest first. */
function candidates(numbers: readonly ReadNumber[]): WidgetOptions[] {
  const numMode = modeOf(numbers);
  const sign = numbers.some((number) => number.isParenthesized) ? { numSign: "parens" } : {};
  const decimals = Math.max(...numbers.map((number) => number.decimals));
  const simple = { ...(numMode && { numMode }), ...sign };
  const exact = { ...simple, decimals };
  // Money without decimals named would follow the currency's habits, not those of the texts.
  return numMode === "currency" ? [exact] : [simple, exact, { ...simple, maxDecimals: decimals }];
}

function modeOf(numbers: readonly ReadNumber[]): string | undefined {
  if (numbers.some((number) => number.isCurrency)) return "currency";
  if (numbers.some((number) => number.isPercent)) return "percent";
  return numbers.some((number) => number.isGrouped) ? "decimal" : undefined;
}

function shows(options: WidgetOptions, numbers: readonly [string, ReadNumber][], locale: NumberLocale): boolean {
  const formatter = numberFormatter(options, locale);
  return numbers.every(([text, { value }]) => comparable(formatter.format(value)) === comparable(text));
}

/** Without blanks, and with one kind of apostrophe: both separate groups in Switzerland. */
const comparable = (text: string): string => text.replaceAll(/\s+/g, "").replaceAll("’", "'");
