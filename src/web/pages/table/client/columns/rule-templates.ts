/** Formulas of frequent conditions, which the fields of conditional styles insert. */
import { t } from "../../../../base/client/texts.ts";
import type { Column } from "./columns.ts";

export interface RuleTemplate {
  readonly label: string;
  readonly formula: string;
}

/** Returns the conditions about a column. Their values are true or false in every row, empty cells included. */
export function ruleTemplates({ id, type }: Pick<Column, "id" | "type">): RuleTemplate[] {
  const value = `$${id}`;
  const empty = {
    isEmpty: { label: t("table.rules.isEmpty"), formula: `not ${value}` },
    isNotEmpty: { label: t("table.rules.isNotEmpty"), formula: `bool(${value})` },
  };
  const none = [
    { label: t("table.rules.isEmpty"), formula: `${value} is None` },
    { label: t("table.rules.isNotEmpty"), formula: `${value} is not None` },
  ];
  const ifFilled = (condition: string) => `${value} is not None and ${condition}`;
  switch (type.base) {
    case "Numeric":
    case "Int":
      return [
        ...none,
        { label: t("table.rules.greater"), formula: ifFilled(`${value} > 100`) },
        { label: t("table.rules.less"), formula: ifFilled(`${value} < 0`) },
      ];
    case "Date":
      return [...none, { label: t("table.rules.overdue"), formula: ifFilled(`${value} < TODAY()`) }];
    case "DateTime":
      return [...none, { label: t("table.rules.overdue"), formula: ifFilled(`${value} < NOW()`) }];
    case "Bool":
      return [
        { label: t("table.rules.checked"), formula: `${value} == True` },
        { label: t("table.rules.notChecked"), formula: `${value} != True` },
      ];
    case "Text":
    case "Choice":
      return [
        empty.isEmpty,
        empty.isNotEmpty,
        { label: t("table.rules.is"), formula: `${value} == "text"` },
        { label: t("table.rules.contains"), formula: `"text" in (${value} or "")` },
      ];
    default:
      return [empty.isEmpty, empty.isNotEmpty];
  }
}
