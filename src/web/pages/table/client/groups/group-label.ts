/** The names of groups. */
import { cellFormatter } from "../../../../../values/cell-formatter.ts";
import { columnType } from "../../../../../values/column-type.ts";
import { t } from "../../../../base/client/texts.ts";
import type { LabelKey } from "../../../../texts/texts.ts";
import type { Period } from "../../../../base/view-state.ts";
import type { DocumentSettings } from "../../../../base/table-data.ts";
import type { Group } from "./group-tree.ts";

export const PERIOD_NAMES: Readonly<Record<Period, LabelKey>> = {
  day: "table.groups.day",
  week: "table.groups.week",
  month: "table.groups.month",
  quarter: "table.groups.quarter",
  year: "table.groups.year",
};

const MS_PER_S = 1000;
const MONTHS_PER_QUARTER = 3;

/** Returns the value that the rows of a group share, as its column shows it, or the name of their period. */
export function groupText({ column, by, value, text }: Group, settings: DocumentSettings): string {
  const ms = by !== null && typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (by !== null && !Number.isNaN(ms)) return periodText(by, new Date(ms), { settings, options: column.options });
  if (typeof value === "boolean") return t(value ? "table.cell.yes" : "table.cell.no");
  return text === "" ? t("table.filter.empty") : text;
}

function periodText(
  by: Period,
  date: Date,
  { settings, options }: { settings: DocumentSettings; options: Group["column"]["options"] },
): string {
  const year = String(date.getUTCFullYear());
  const day = (): string =>
    cellFormatter(columnType("Date"), { ...settings, widgetOptions: options })(date.getTime() / MS_PER_S);
  switch (by) {
    case "year":
      return year;
    case "quarter":
      return t("table.groups.quarterOf", { quarter: Math.floor(date.getUTCMonth() / MONTHS_PER_QUARTER) + 1, year });
    case "month":
      return new Intl.DateTimeFormat(t.locale, { month: "long", year: "numeric", timeZone: "UTC" }).format(date);
    case "week":
      return t("table.groups.weekOf", { day: day() });
    case "day":
      return day();
    default:
      return by satisfies never;
  }
}
