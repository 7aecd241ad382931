/** The words of operators and of spans of days. */
import { t } from "../../../../base/client/texts.ts";
import type { LabelKey } from "../../../../texts/texts.ts";
import type { FieldKind, Operator } from "./filter-model.ts";

const OPERATOR_TEXTS: Readonly<Record<Operator, LabelKey>> = {
  contains: "table.operator.contains",
  doesNotContain: "table.operator.doesNotContain",
  is: "table.operator.is",
  isNot: "table.operator.isNot",
  startsWith: "table.operator.startsWith",
  endsWith: "table.operator.endsWith",
  matches: "table.operator.matches",
  gt: "table.operator.after",
  gte: "table.operator.onOrAfter",
  lt: "table.operator.before",
  lte: "table.operator.onOrBefore",
  between: "table.operator.between",
  within: "table.operator.within",
  isChecked: "table.operator.isChecked",
  isNotChecked: "table.operator.isNotChecked",
  isAnyOf: "table.operator.isAnyOf",
  isNoneOf: "table.operator.isNoneOf",
  hasAnyOf: "table.operator.hasAnyOf",
  hasAllOf: "table.operator.hasAllOf",
  hasNoneOf: "table.operator.hasNoneOf",
  hasOtherThan: "table.operator.hasOtherThan",
  isEmpty: "table.operator.isEmpty",
  isNotEmpty: "table.operator.isNotEmpty",
};

/** Signs are the same in all languages. */
const NUMBER_SIGNS: Partial<Readonly<Record<Operator, string>>> = {
  is: "=",
  isNot: "≠",
  gt: ">",
  gte: "≥",
  lt: "<",
  lte: "≤",
};

export const operatorText = (operator: Operator, kind: FieldKind): string =>
  (kind === "number" ? NUMBER_SIGNS[operator] : undefined) ?? t(OPERATOR_TEXTS[operator]);

const SPAN_TEXTS: Readonly<Record<string, LabelKey>> = {
  today: "table.span.today",
  yesterday: "table.span.yesterday",
  tomorrow: "table.span.tomorrow",
  thisWeek: "table.span.thisWeek",
  lastWeek: "table.span.lastWeek",
  nextWeek: "table.span.nextWeek",
  thisMonth: "table.span.thisMonth",
  lastMonth: "table.span.lastMonth",
  nextMonth: "table.span.nextMonth",
  thisQuarter: "table.span.thisQuarter",
  lastQuarter: "table.span.lastQuarter",
  nextQuarter: "table.span.nextQuarter",
  thisYear: "table.span.thisYear",
  lastYear: "table.span.lastYear",
  nextYear: "table.span.nextYear",
};

/** Returns the words of a span such as `last7days`; null for other texts. */
export function spanText(span: string): string | null {
  const [, direction, days] = /^(last|next)(\d{1,4})days$/.exec(span) ?? [];
  const count = Number(days);
  if (direction === "last") return t("table.span.lastDays", { count });
  if (direction === "next") return t("table.span.nextDays", { count });
  const key = SPAN_TEXTS[span];
  return key === undefined ? null : t(key);
}
