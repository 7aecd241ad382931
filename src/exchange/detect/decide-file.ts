import { currencyOf } from "../../values/currencies.ts";
import type { ColumnDecision, Rule } from "./column-decision.ts";
import { ENOUGH } from "./column-decision.ts";
import { trueWord } from "./bool-words.ts";
import { dateOptions, provenOrder } from "./decide-dates.ts";
import { currenciesOf, decides, hasNulls, isMixed, numberOptions, provenDecimal } from "./decide-numbers.ts";
import type { DateOrder } from "./date-text.ts";
import { type ColumnEvidence, nativesIn } from "./evidence.ts";
import { dateOrderOf, decimalOf, nearestLocale } from "./locales.ts";
import type { DecimalSign } from "./number-text.ts";

/** What is known about a file beside its cells. */
export interface ReadingSettings {
  /** Of the person who imports it. */
  readonly locale: string;
  /** True when the request names the locale: the file does not change it then. */
  readonly isLocaleFixed?: boolean | undefined;
  /** What parts the cells of a text file. */
  readonly delimiter?: string | undefined;
  /** The request's own choices, which overrule what the file proves. */
  readonly decimal?: DecimalSign | undefined;
  readonly dates?: DateOrder | undefined;
  /** The zone of times of day without an offset; UTC by default. */
  readonly zone?: string | undefined;
}

/** How the numbers and dates of a file are written: one way for all of its columns. */
export interface FileConventions {
  readonly decimal: DecimalSign;
  readonly decimalRule: Rule;
  /** Null when columns prove both: those that leave the choice stay texts. */
  readonly order: DateOrder | null;
  readonly orderRule: Rule;
  /** The locale that a new document takes. */
  readonly locale: string;
  /** The code of the currency that a new document takes. */
  readonly currency: string;
  readonly zone: string;
}

/** Finds out how numbers and dates are written in a file, from all its columns together. */
export function conventionsOf(columns: readonly ColumnEvidence[], settings: ReadingSettings): FileConventions {
  const [decimal, decimalRule] = decimalIn(columns, settings);
  const [order, orderRule] = orderIn(columns, settings);
  const numeric = columns.filter((column) => column.codes === 0 && decides(column.ways[decimal].fits, column));
  const found = mostFrequent(numeric.flatMap((column) => currenciesOf(column, currencyOf(settings.locale))));
  const isProven = decimalRule === "file" || decimalRule === "request";
  const group = mostFrequent(numeric.flatMap((column) => (column.group === "" ? [] : [column.group])));
  const isIndian = numeric.some((column) => column.indian > 0);
  const locale =
    isProven && !settings.isLocaleFixed
      ? nearestLocale(settings.locale, { decimal, group, currency: found, isIndian })
      : settings.locale;
  const currency = found ?? currencyOf(locale);
  return { decimal, decimalRule, order, orderRule, locale, currency, zone: settings.zone ?? "UTC" };
}

function decimalIn(columns: readonly ColumnEvidence[], settings: ReadingSettings): [DecimalSign, Rule] {
  if (settings.decimal) return [settings.decimal, "request"];
  const votes = { ".": 0, ",": 0 };
  const cells = { ".": 0, ",": 0 };
  for (const column of columns) {
    const proven = provenDecimal(column);
    if (proven === null || proven === "open") continue;
    votes[proven]++;
    cells[proven] += column.ways[proven].fits;
  }
  const local = decimalOf(settings.locale);
  const lead = votes[","] - votes["."] || cells[","] - cells["."];
  if (lead !== 0) return [lead > 0 ? "," : ".", "file"];
  if (votes["."] > 0) return [local, "file"];
  return settings.delimiter === ";" ? [",", "delimiter"] : [local, "locale"];
}

function orderIn(columns: readonly ColumnEvidence[], settings: ReadingSettings): [DateOrder | null, Rule] {
  if (settings.dates) return [settings.dates, "request"];
  const proven = new Set(columns.map(provenOrder));
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

/** Decides the type of one column, and how its texts become cells. */
export function decideColumn(column: ColumnEvidence, file: FileConventions): ColumnDecision {
  const natives = nativesIn(column);
  if (natives + column.texts === 0) return { ...asText("empty"), type: "Any" };
  if (natives > 0) return decideMixed(column, natives, file);
  const yes = column.blanks === 0 && column.words ? trueWord(column.words) : null;
  if (yes !== null) return decision("Bool", { kind: "bool", yes });
  return decideNumber(column, file) ?? decideDate(column, file) ?? asText(column.codes > 0 ? "codes" : "texts");
}

const asText = (rule: Rule): ColumnDecision => ({
  type: "Text",
  widgetOptions: {},
  reading: { kind: "text" },
  rule,
  ambiguous: false,
});

const decision = (type: string, reading: ColumnDecision["reading"]): ColumnDecision => ({
  type,
  widgetOptions: {},
  reading,
  rule: "values",
  ambiguous: false,
});

function decideNumber(column: ColumnEvidence, file: FileConventions): ColumnDecision | null {
  const { decimal } = file;
  const proven = provenDecimal(column);
  const { fits } = column.ways[decimal];
  if (column.codes > 0 || !decides(fits, column)) {
    const isOtherWay = proven !== null && proven !== "open" && proven !== decimal;
    return isOtherWay ? asText("contradiction") : null;
  }
  const local = currencyOf(file.locale);
  if (isMixed(column, decimal, local)) return asText("contradiction");
  const isOpen = proven === "open";
  return {
    type: "Numeric",
    widgetOptions: numberOptions(column, decimal, file.locale),
    reading: { kind: "number", decimal, nulls: hasNulls(fits, column) },
    rule: isOpen ? file.decimalRule : "values",
    ambiguous: isOpen && file.decimalRule !== "request",
  };
}

function decideDate(column: ColumnEvidence, file: FileConventions): ColumnDecision | null {
  const proven = provenOrder(column);
  const isOrdered = proven === null || file.order !== null;
  if (!isOrdered || (proven === "both" && file.orderRule !== "request")) return asText("contradiction");
  const order = file.order ?? "dmy";
  const fits = column.dates.fits[order];
  if (!decides(fits, column)) return null;
  const nulls = hasNulls(fits, column);
  const isOpen = proven === "open";
  const isTimed = column.dates.timed > 0;
  return {
    type: isTimed ? `DateTime:${file.zone}` : "Date",
    widgetOptions: dateOptions(column, order, file.locale),
    reading: isTimed ? { kind: "dateTime", order, zone: file.zone, nulls } : { kind: "date", order, nulls },
    rule: isOpen ? file.orderRule : "values",
    ambiguous: isOpen && file.orderRule !== "request",
  };
}

/**
 * Decides by values that the format itself marks as numbers, dates and truth values, together with texts that read as
 * such, which workbooks have where numbers were pasted. Codes among the texts stay texts.
 */
function decideMixed(column: ColumnEvidence, natives: number, file: FileConventions): ColumnDecision {
  const { decimal, zone } = file;
  const order = file.order ?? "dmy";
  const all = natives + column.texts;
  const filled = all - column.placeholders;
  const dates = column.days + column.moments + column.dates.fits[order];
  // A truth value among numbers counts as 1 or 0, as it does in formulas.
  const numbers = column.numbers + column.ways[decimal].fits + (column.numbers > 0 ? column.bools : 0);
  const fits = (count: number) => count === filled || count >= ENOUGH * all;
  const nulls = (count: number) => column.placeholders > 0 && count === filled;
  if (fits(column.bools)) return decision("Bool", { kind: "bool", yes: "true" });
  if (fits(numbers)) return decision("Numeric", { kind: "number", decimal, nulls: nulls(numbers), keepsCodes: true });
  if (!fits(dates)) return asText("texts");
  const reading = { order, nulls: nulls(dates) };
  if (column.moments + column.dates.timed === 0) return decision("Date", { kind: "date", ...reading });
  return decision(`DateTime:${zone}`, { kind: "dateTime", ...reading, zone });
}
