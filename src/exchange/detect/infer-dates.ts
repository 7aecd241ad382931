import { dateOptions as optionsOf } from "../../values/guess-dates.ts";
import { hasEnoughMatches } from "./infer-numbers.ts";
import type { DateOrder } from "./date-text.ts";
import type { ColumnEvidence, FormEvidence } from "./evidence.ts";

/**
 * Returns the order of day and month that a column proves: `open` if its form is ambiguous and no value decides, `both`
 * if values prove both.
 */
export function unambiguousOrder(column: ColumnEvidence): DateOrder | "open" | "both" | null {
  const { matches, ambiguous, forms } = column.dates;
  if (ambiguous === 0) return null;
  const isDayFirst = hasEnoughMatches(matches.dmy, column);
  const isMonthFirst = hasEnoughMatches(matches.mdy, column);
  const all = forms.reduce((sum, { count }) => sum + count, 0);
  if (isDayFirst !== isMonthFirst) return isDayFirst ? "dmy" : "mdy";
  if (all > matches.dmy && all > matches.mdy) return hasEnoughMatches(all, column) ? "both" : null;
  if (!isDayFirst) return null;
  return all > matches.mdy ? "dmy" : all > matches.dmy ? "mdy" : "open";
}

/** Returns the column options that display its dates as most of them were written. */
export function inferDateOptions(
  { dates }: ColumnEvidence,
  order: DateOrder,
  locale: string,
): Readonly<Record<string, unknown>> {
  const isTimed = dates.timed > 0;
  const [form] = dates.forms
    .filter(({ time }) => !isTimed || time !== "")
    .toSorted((one, other) => other.count - one.count);
  if (!form) return {};
  const dateFormat = dateFormatOf(form, order, locale);
  return optionsOf(dateFormat, isTimed ? timeFormatOf(form) : undefined);
}

const SLASH_LANGUAGES: ReadonlySet<string> = new Set(["fr", "it", "es", "pt", "en"]);

function dateFormatOf(form: FormEvidence, order: DateOrder, locale: string): string {
  // Dates are displayed with English month names only: numbers serve readers of other languages better.
  if (form.foreignNames) return SLASH_LANGUAGES.has(locale.split("-")[0] ?? "") ? "DD/MM/YYYY" : "DD.MM.YYYY";
  const isBare = form.bare && !form.padded;
  const [day, month] = isBare ? ["D", "M"] : ["DD", "MM"];
  const parts: Readonly<Record<string, string>> = {
    A: order === "dmy" ? day : month,
    B: order === "dmy" ? month : day,
    D: day,
    M: month,
    Do: "Do",
    N: form.longNames ? "MMMM" : "MMM",
    YYYY: "YYYY",
    YY: "YY",
  };
  return form.date.replaceAll(/Do|YYYY|YY|[A-Z]|[a-z]+/g, (part) => parts[part] ?? `[${part}]`);
}

function timeFormatOf({ time, paddedHour, bareHour }: FormEvidence): string {
  const isPadded = time.startsWith("H") ? paddedHour || !bareHour : paddedHour;
  return isPadded ? `${time.charAt(0)}${time}` : time;
}
