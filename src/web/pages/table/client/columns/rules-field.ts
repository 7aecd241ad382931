/** A field for conditional styles: a list of conditions, each with its style. */
import { h, icon, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { CellStyle } from "../cells/cell-styles.ts";
import type { StyleRule } from "../cells/conditional-styles.ts";
import { moved, orderedList } from "../view/lists/ordered-list.ts";
import type { Column } from "./columns.ts";
import type { RuleInput } from "./rule-actions.ts";
import { ruleTemplates } from "./rule-templates.ts";
import { type StyleField, styleField } from "./style-field.ts";

export interface RulesField {
  readonly element: HTMLElement;
  /** Null when nothing was changed. */
  value(): readonly RuleInput[] | null;
}

export interface RulesFieldOptions {
  readonly label: string;
  readonly rules: readonly StyleRule[];
  /** The columns that formulas can be about, the most likely one first. */
  readonly columns: readonly Column[];
}

interface Rule {
  readonly id: string;
  readonly stored: unknown;
  readonly area: HTMLTextAreaElement;
  readonly insert: HTMLSelectElement;
  readonly styles: StyleField;
  readonly remove: HTMLButtonElement;
}

/** What a new rule looks like, until the user chooses. */
const NEW_STYLE: CellStyle = { fillColor: "#ffdba5", textColor: "#563a00" };

export function rulesField({ label, rules: stored, columns }: RulesFieldOptions): RulesField {
  // Changing only some of the rules would move styles to the others.
  if (stored.some(({ columnId }) => columnId === null)) return hiddenRules(label);
  let rules: readonly Rule[] = [];
  let made = 0;
  const list = orderedList({
    label,
    move(from, to) {
      rules = moved(rules, from, to);
      show();
      notify();
    },
  });
  const notify = () => list.element.dispatchEvent(new Event("input", { bubbles: true }));
  const create = (formula: string, style: CellStyle, kept: unknown): Rule => {
    const number = ++made;
    const area = h("textarea", {
      class: "code",
      rows: 2,
      spellcheck: "false",
      autocapitalize: "off",
      "aria-label": t("table.rules.formula"),
    });
    area.value = formula;
    const remove = h(
      "button",
      { type: "button", class: "bare", "aria-label": t("table.rules.remove"), title: t("table.rules.remove") },
      icon("x"),
    );
    const rule: Rule = {
      id: `rule-${number}`,
      stored: kept,
      area,
      insert: templateSelect(area, columns),
      styles: styleField(t("table.rules.style"), style),
      remove,
    };
    remove.addEventListener("click", () => {
      const at = rules.indexOf(rule);
      rules = rules.filter((each) => each !== rule);
      show();
      notify();
      (rules[Math.min(at, rules.length - 1)]?.area ?? add).focus();
    });
    return rule;
  };
  const show = () =>
    list.show(
      rules.map(({ id, area, insert, styles, remove }, at) => ({
        id,
        label: t("table.rules.entry", { number: at + 1 }),
        content: [h("div", { class: "rule" }, area, insert, styles.element), remove],
      })),
    );
  const add = h("button", { type: "button", class: "plain small" }, icon("plus"), t("table.rules.add"));
  add.addEventListener("click", () => {
    const rule = create("", NEW_STYLE, undefined);
    rules = [...rules, rule];
    show();
    notify();
    rule.area.focus();
  });
  rules = stored.map(({ formula, style, stored: kept }) => create(formula, style, kept));
  show();
  const now = () =>
    rules.map((rule) => ({ formula: rule.area.value.trim(), style: rule.styles.value(), stored: rule.stored }));
  const before = JSON.stringify(now());
  return {
    element: h(
      "fieldset",
      { class: "rules-field" },
      h("legend", {}, label),
      h("p", { class: "hint" }, t("table.rules.hint")),
      list.element,
      h("div", { class: "bar" }, add),
    ),
    value() {
      const rulesNow = now();
      return JSON.stringify(rulesNow) === before ? null : rulesNow;
    },
  };
}

const hiddenRules = (label: string): RulesField => ({
  element: h(
    "fieldset",
    { class: "rules-field" },
    h("legend", {}, label),
    h("p", { class: "hint" }, t("table.rules.denied")),
  ),
  value: () => null,
});

/** Inserts conditions and columns into a formula. */
function templateSelect(area: HTMLTextAreaElement, columns: readonly Column[]): HTMLSelectElement {
  const select = h("select", { "aria-label": t("table.rules.insert") });
  const fill = () => {
    if (select.options.length > 1) return;
    select.append(
      ...columns.map((column) =>
        h(
          "optgroup",
          { label: column.name, translate: "no" },
          ...ruleTemplates(column).map((template) => h("option", { value: template.formula }, template.label)),
          h("option", { value: `$${column.id}` }, t("table.rules.value")),
        ),
      ),
    );
  };
  replaceChildren(select, h("option", { value: "" }, t("table.rules.insert")));
  fill();
  select.addEventListener("change", () => {
    const formula = select.value;
    select.value = "";
    if (formula === "") return;
    if (/^\$\w+$/.test(formula)) area.setRangeText(formula, area.selectionStart, area.selectionEnd, "end");
    else area.value = area.value.trim() === "" ? formula : `(${area.value.trim()}) and (${formula})`;
    area.focus();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return select;
}
