/** Conditions in words: `Status is any of New, Shipped`. */
import { contentChildren, type Child, nameElement } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { FilterField, FilterFields } from "./filter-fields.ts";
import { type Condition, countConditions, isComplete, type Part, valueCount } from "./filter-model.ts";
import { operatorText, spanText } from "./operator-texts.ts";
import type { ReferenceLabels } from "./reference-labels.ts";

export interface ConditionTextSources {
  readonly fields: FilterFields;
  readonly labels: ReferenceLabels;
}

export interface PartText {
  readonly content: readonly Child[];
  /** The same as text. */
  readonly label: string;
}

/** More values are counted. */
const MAX_SHOWN_VALUES = 10;

export function partText(part: Part, sources: ConditionTextSources): PartText {
  if (part.type === "custom") return plain(t("table.condition.custom"));
  if (part.type === "group") {
    const count = countConditions(part);
    return plain(part.match === "any" ? t("table.condition.any", { count }) : t("table.condition.all", { count }));
  }
  const field = sources.fields.find(part.path);
  return field ? conditionText(part, field, sources) : plain(t("table.condition.custom"));
}

const plain = (text: string): PartText => ({ content: contentChildren(text), label: text });

function conditionText(condition: Condition, field: FilterField, { labels }: ConditionTextSources): PartText {
  const { kind, operator, values } = condition;
  const words = { column: field.name, operator: operatorText(operator, kind) };
  const rich = { column: nameElement(field.name), operator: words.operator };
  if (operator === "isChecked" || valueCount(operator) === "none" || !isComplete(condition))
    return { content: t.rich("table.condition", rich), label: t("table.condition", words) };
  const [first, second] = values;
  if (operator === "within") {
    const span = spanText(String(first)) ?? String(first);
    return {
      content: t.rich("table.condition.span", { ...rich, span }),
      label: t("table.condition.span", { ...words, span }),
    };
  }
  const text = (value: unknown): string | null => valueLabel(value, field, labels);
  if (operator === "between") {
    const [from, to] = [text(first) ?? "", text(second) ?? ""];
    return {
      content: t.rich("table.condition.between", { ...rich, from: nameElement(from), to: nameElement(to) }),
      label: t("table.condition.between", { ...words, from, to }),
    };
  }
  const texts = values.length > MAX_SHOWN_VALUES ? [null] : values.map(text);
  if (texts.includes(null)) {
    const count = values.length;
    return {
      content: t.rich("table.condition.count", { ...rich, count }),
      label: t("table.condition.count", { ...words, count }),
    };
  }
  const all = texts.join(", ");
  return {
    content: t.rich("table.condition.value", { ...rich, value: nameElement(all) }),
    label: t("table.condition.value", { ...words, value: all }),
  };
}

/** Returns a value as the column shows it; null for rows whose text is not loaded. */
export function valueLabel(value: unknown, field: FilterField, labels: ReferenceLabels): string | null {
  const { column, kind } = field;
  if (value === null || value === "") return t("table.filter.empty");
  if (typeof value === "boolean") return t(value ? "table.cell.yes" : "table.cell.no");
  if (kind === "reference" || kind === "references") {
    if (typeof value !== "number") return JSON.stringify(value);
    return value === 0 ? t("table.filter.empty") : labels.labelOf(field, value);
  }
  // Texts are kept as people write them, but days are shown in the format of the column.
  if (kind === "date" && typeof value === "string") {
    const seconds = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) / 1000 : Number.NaN;
    if (Number.isNaN(seconds)) return spanText(value) ?? value;
    return field.dayText(seconds);
  }
  if (kind === "choices" && typeof value === "string") return value;
  const cell = Array.isArray(value) && value[0] !== "L" ? ["L", ...(value as unknown[])] : value;
  return column.text({ id: 0, fields: { [column.id]: cell } });
}
