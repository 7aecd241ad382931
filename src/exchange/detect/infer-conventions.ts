import { currencyOf } from "../../values/currencies.ts";
import type { InferredColumn, InferenceRule } from "./inferred-column.ts";
import { MIN_MATCH_SHARE } from "./inferred-column.ts";
import { trueWord } from "./bool-words.ts";
import { inferDateOptions, unambiguousOrder } from "./infer-dates.ts";
import {
  currenciesOf,
  hasEnoughMatches,
  hasNulls,
  hasMixedKinds,
  numberOptions,
  unambiguousDecimal,
} from "./infer-numbers.ts";
import type { DateOrder } from "./date-text.ts";
import { type ColumnEvidence, typedValueCount } from "./evidence.ts";
import { dateOrderOf, decimalOf, nearestLocale } from "./locales.ts";
import type { DecimalSign } from "./number-text.ts";

/** Context of a file that is not part of its cells. */
export interface InferenceSettings {
  /** Locale of the importing user. */
  readonly locale: string;
  /** True if the request specifies the locale, so that the file does not change it. */
  readonly isLocaleFixed?: boolean | undefined;
  /** Cell delimiter of a text file. */
  readonly delimiter?: string | undefined;
  /** Explicit choices of the request, which take precedence over the file's evidence. */
  readonly decimal?: DecimalSign | undefined;
  readonly dates?: DateOrder | undefined;
  /** Time zone of times without an offset; UTC by default. */
  readonly zone?: string | undefined;
}

/** Notation of numbers and dates in a file, the same for all of its columns. */
export interface FileConventions {
  readonly decimal: DecimalSign;
  readonly decimalRule: InferenceRule;
  /** Null if columns prove both: ambiguous columns stay texts. */
  readonly order: DateOrder | null;
  readonly orderRule: InferenceRule;
  /** The locale of a new document. */
  readonly locale: string;
  /** The currency code of a new document. */
  readonly currency: string;
  readonly zone: string;
}

/** Infers how a file writes numbers and dates, from all of its columns together. */
export function inferConventions(columns: readonly ColumnEvidence[], settings: InferenceSettings): FileConventions {
  const [decimal, decimalRule] = inferDecimal(columns, settings);
  const [order, orderRule] = inferDateOrder(columns, settings);
  const numeric = columns.filter(
    (column) => column.codes === 0 && hasEnoughMatches(column.notations[decimal].matches, column),
  );
  const currencyFound = mostFrequent(numeric.flatMap((column) => currenciesOf(column, currencyOf(settings.locale))));
  const isProven = decimalRule === "file" || decimalRule === "request";
  const group = mostFrequent(numeric.flatMap((column) => (column.group === "" ? [] : [column.group])));
  const isIndian = numeric.some((column) => column.indian > 0);
  const locale =
    isProven && !settings.isLocaleFixed
      ? nearestLocale(settings.locale, { decimal, group, currency: currencyFound, isIndian })
      : settings.locale;
  const currency = currencyFound ?? currencyOf(locale);
  return { decimal, decimalRule, order, orderRule, locale, currency, zone: settings.zone ?? "UTC" };
}

function inferDecimal(columns: readonly ColumnEvidence[], settings: InferenceSettings): [DecimalSign, InferenceRule] {
  if (settings.decimal) return [settings.decimal, "request"];
  const votes = { ".": 0, ",": 0 };
  const cells = { ".": 0, ",": 0 };
  for (const column of columns) {
    const proven = unambiguousDecimal(column);
    if (proven === null || proven === "open") continue;
    votes[proven]++;
    cells[proven] += column.notations[proven].matches;
  }
  const local = decimalOf(settings.locale);
  const lead = votes[","] - votes["."] || cells[","] - cells["."];
  if (lead !== 0) return [lead > 0 ? "," : ".", "file"];
  if (votes["."] > 0) return [local, "file"];
  return settings.delimiter === ";" ? [",", "delimiter"] : [local, "locale"];
}

function inferDateOrder(
  columns: readonly ColumnEvidence[],
  settings: InferenceSettings,
): [DateOrder | null, InferenceRule] {
  if (settings.dates) return [settings.dates, "request"];
  const proven = new Set(columns.map(unambiguousOrder));
  const isDayFirst = proven.has("dmy");
  const isMonthFirst = proven.has("mdy");
  if (isDayFirst && isMonthFirst) return [null, "contradiction"];
  if (isDayFirst || isMonthFirst) return [isDayFirst ? "dmy" : "mdy", "file"];
  return [dateOrderOf(settings.locale), "locale"];
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}

/** Infers the type of one column and how to parse its texts. */
export function inferColumn(column: ColumnEvidence, file: FileConventions): InferredColumn {
  const natives = typedValueCount(column);
  if (natives + column.texts === 0) return { ...textColumn("empty"), type: "Any" };
  if (natives > 0) return inferMixed(column, natives, file);
  const yes = column.blanks === 0 && column.words ? trueWord(column.words) : null;
  if (yes !== null) return inferredColumn("Bool", { kind: "bool", yes });
  return inferNumber(column, file) ?? inferDate(column, file) ?? textColumn(column.codes > 0 ? "codes" : "texts");
}

const textColumn = (rule: InferenceRule): InferredColumn => ({
  type: "Text",
  widgetOptions: {},
  reading: { kind: "text" },
  rule,
  ambiguous: false,
});

const inferredColumn = (type: string, reading: InferredColumn["reading"]): InferredColumn => ({
  type,
  widgetOptions: {},
  reading,
  rule: "values",
  ambiguous: false,
});

function inferNumber(column: ColumnEvidence, file: FileConventions): InferredColumn | null {
  const { decimal } = file;
  const proven = unambiguousDecimal(column);
  const { matches } = column.notations[decimal];
  if (column.codes > 0 || !hasEnoughMatches(matches, column)) {
    const isOtherWay = proven !== null && proven !== "open" && proven !== decimal;
    return isOtherWay ? textColumn("contradiction") : null;
  }
  const local = currencyOf(file.locale);
  if (hasMixedKinds(column, decimal, local)) return textColumn("contradiction");
  const isOpen = proven === "open";
  return {
    type: "Numeric",
    widgetOptions: numberOptions(column, decimal, file.locale),
    reading: { kind: "number", decimal, nulls: hasNulls(matches, column) },
    rule: isOpen ? file.decimalRule : "values",
    ambiguous: isOpen && file.decimalRule !== "request",
  };
}

function inferDate(column: ColumnEvidence, file: FileConventions): InferredColumn | null {
  const proven = unambiguousOrder(column);
  const isOrdered = proven === null || file.order !== null;
  if (!isOrdered || (proven === "both" && file.orderRule !== "request")) return textColumn("contradiction");
  const order = file.order ?? "dmy";
  const fits = column.dates.matches[order];
  if (!hasEnoughMatches(fits, column)) return null;
  const nulls = hasNulls(fits, column);
  const isOpen = proven === "open";
  const isTimed = column.dates.timed > 0;
  return {
    type: isTimed ? `DateTime:${file.zone}` : "Date",
    widgetOptions: inferDateOptions(column, order, file.locale),
    reading: isTimed ? { kind: "dateTime", order, zone: file.zone, nulls } : { kind: "date", order, nulls },
    rule: isOpen ? file.orderRule : "values",
    ambiguous: isOpen && file.orderRule !== "request",
  };
}

/**
 * Infers a type from values that the format types as numbers, dates and booleans, together with texts that parse as
 * such: workbooks contain these where numbers were pasted. Identifiers among the texts stay texts.
 */
function inferMixed(column: ColumnEvidence, natives: number, file: FileConventions): InferredColumn {
  const { decimal, zone } = file;
  const order = file.order ?? "dmy";
  const all = natives + column.texts;
  const filled = all - column.placeholders;
  const dates = column.days + column.moments + column.dates.matches[order];
  // A boolean among numbers counts as 1 or 0, as it does in formulas.
  const numbers = column.numbers + column.notations[decimal].matches + (column.numbers > 0 ? column.bools : 0);
  const fits = (count: number) => count === filled || count >= MIN_MATCH_SHARE * all;
  const nulls = (count: number) => column.placeholders > 0 && count === filled;
  if (fits(column.bools)) return inferredColumn("Bool", { kind: "bool", yes: "true" });
  if (fits(numbers))
    return inferredColumn("Numeric", { kind: "number", decimal, nulls: nulls(numbers), keepsCodes: true });
  if (!fits(dates)) return textColumn("texts");
  const reading = { order, nulls: nulls(dates) };
  if (column.moments + column.dates.timed === 0) return inferredColumn("Date", { kind: "date", ...reading });
  return inferredColumn(`DateTime:${zone}`, { kind: "dateTime", ...reading, zone });
}
