import { dateOptions as optionsOf } from "../../values/guess-dates.ts";
import { decides } from "./decide-numbers.ts";
import type { DateOrder } from "./date-text.ts";
import type { ColumnEvidence, FormEvidence } from "./evidence.ts";

/**
 * The order of day and month that a column proves: `open` where its form leaves the choice and no value decides,
 * `both` where values prove both.
 */
export function provenOrder(column: ColumnEvidence): DateOrder | "open" | "both" | null {
  const { fits, open, forms } = column.dates;
  if (open === 0) return null;
  const isDayFirst = decides(fits.dmy, column);
  const isMonthFirst = decides(fits.mdy, column);
  const all = forms.reduce((sum, { count }) => sum + count, 0);
  if (isDayFirst !== isMonthFirst) return isDayFirst ? "dmy" : "mdy";
  if (all > fits.dmy && all > fits.mdy) return decides(all, column) ? "both" : null;
  if (!isDayFirst) return null;
  return all > fits.mdy ? "dmy" : all > fits.dmy ? "mdy" : "open";
}

/** The options of a column that show its dates as most of them were written. */
export function dateOptions(
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

const SLASHES: ReadonlySet<string> = new Set(["fr", "it", "es", "pt", "en"]);

function dateFormatOf(form: FormEvidence, order: DateOrder, locale: string): string {
  // Dates are shown with English names alone: numbers serve readers of other languages better.
  if (form.foreignNames) return SLASHES.has(locale.split("-")[0] ?? "") ? "DD/MM/YYYY" : "DD.MM.YYYY";
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
