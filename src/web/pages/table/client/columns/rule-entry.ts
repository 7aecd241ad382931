/** One conditional style: its formula with what can be inserted, and what it looks like. */
import { h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { StyleRule } from "../cells/conditional-styles.ts";
import type { Column } from "./columns.ts";
import type { FormulaFailure } from "./formula-errors.ts";
import { clearErrorsOnInput, problemPlace, showFormulaErrors } from "./formula-problems.ts";
import { columnButtons, functionList } from "./function-list.ts";
import type { CodeField } from "../../../../base/client/code-editor/code-field.ts";
import { formulaCodeField } from "../formula/formula-code-field.ts";
import type { FormulaContext } from "../formula/formula-context.ts";
import type { RuleInput } from "./merge-rules.ts";
import { ruleTemplates } from "./rule-templates.ts";
import { styleField } from "./style-field.ts";

export interface RuleEntry {
  readonly id: string;
  readonly field: CodeField;
  readonly content: readonly HTMLElement[];
  value(): RuleInput;
  /** Shows the errors of the stored formula. Returns the first one; null without errors. */
  showErrors(): Promise<FormulaFailure | null>;
}

export interface RuleEntryOptions {
  readonly id: string;
  readonly place: FormulaContext["sheet"];
  readonly columns: readonly Column[];
  readonly onRemove: () => void;
}

export function ruleEntry(rule: StyleRule, { id, place, columns, onRemove }: RuleEntryOptions): RuleEntry {
  const { columnId, stored } = rule;
  const problems = problemPlace();
  const area = h("textarea", {
    class: "code",
    rows: 2,
    spellcheck: "false",
    autocapitalize: "off",
    "aria-label": t("table.rules.formula"),
    "aria-describedby": problems.id,
  });
  area.value = rule.formula;
  const { field, help } = formulaCodeField(area, { sheet: place, columnId: null, label: t("table.rules.formula") });
  clearErrorsOnInput({ area, problems, field });
  const remove = h(
    "button",
    {
      type: "button",
      class: "bare",
      "aria-label": t("table.rules.remove"),
      title: t("table.rules.remove"),
      onclick: onRemove,
    },
    icon("x"),
  );
  const styles = styleField(t("table.rules.style"), rule.style);
  const inserts = insertList(field, columns);
  return {
    id,
    field,
    content: [
      h("div", { class: "rule" }, area, problems, help, templateSelect(field, columns), inserts, styles.element),
      remove,
    ],
    value: () => ({ columnId, formula: area.value.trim(), style: styles.value(), stored }),
    showErrors: async () => (columnId === null ? null : showFormulaErrors(place, columnId, { area, problems, field })),
  };
}

/** Columns and functions, as beside the formulas of columns. */
function insertList(field: CodeField, columns: readonly Column[]): HTMLElement {
  const list = h("details", { class: "inserts" }, h("summary", {}, t("table.rules.more")));
  list.addEventListener("toggle", () => {
    if (!list.open || list.childElementCount > 1) return;
    const insert = (text: string) => field.insert(text);
    const functions = functionList(insert);
    functions.open = true;
    list.append(columnButtons(columns, insert), functions);
  });
  return list;
}

/** Inserts conditions and columns into a formula. */
function templateSelect(field: CodeField, columns: readonly Column[]): HTMLSelectElement {
  const select = h(
    "select",
    { "aria-label": t("table.rules.insert") },
    h("option", { value: "" }, t("table.rules.insert")),
    ...columns.map((column) =>
      h(
        "optgroup",
        { label: column.name, translate: "no" },
        ...ruleTemplates(column).map((template) => h("option", { value: template.formula }, template.label)),
        h("option", { value: `$${column.id}` }, t("table.rules.value")),
      ),
    ),
  );
  select.addEventListener("change", () => {
    const formula = select.value;
    select.value = "";
    if (formula === "") return;
    if (/^\$\w+$/.test(formula)) return field.insert(formula);
    const before = field.text.trim();
    field.replaceText(before === "" ? formula : `(${before}) and (${formula})`);
  });
  return select;
}
