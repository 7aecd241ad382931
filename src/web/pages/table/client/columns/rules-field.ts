/** A field for conditional styles: a list of conditions, each with its style. */
import { h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { CellStyle } from "../cells/cell-styles.ts";
import type { StyleRule } from "../cells/conditional-styles.ts";
import { moved, orderedList } from "../view/lists/ordered-list.ts";
import type { Column } from "./columns.ts";
import type { FormulaContext } from "../formula/formula-context.ts";
import type { FormulaFailure } from "./formula-errors.ts";
import type { RuleInput } from "./merge-rules.ts";
import { type RuleEntry, ruleEntry } from "./rule-entry.ts";

export interface RulesField {
  readonly element: HTMLElement;
  /** Null when nothing was changed. */
  value(): readonly RuleInput[] | null;
  /** Shows the stored rules instead of the edited ones. */
  reset(rules: readonly StyleRule[]): void;
  /** Shows the errors of the stored formulas at their fields. Focuses the first failed one, and returns its error. */
  showErrors(options?: { readonly isFocusing?: boolean }): Promise<FormulaFailure | null>;
}

export interface RulesFieldOptions {
  readonly label: string;
  readonly rules: readonly StyleRule[];
  /** The columns that formulas can be about, the most likely one first. */
  readonly columns: readonly Column[];
  readonly place: FormulaContext["sheet"];
}

/** What a new rule looks like, until the user chooses. */
const NEW_STYLE: CellStyle = { fillColor: "#ffdba5", textColor: "#563a00" };

export function rulesField({ label, rules: stored, columns, place }: RulesFieldOptions): RulesField {
  // Changing only some of the rules would move styles to the others.
  if (stored.some(({ columnId }) => columnId === null)) return hiddenRules(label);
  let entries: readonly RuleEntry[] = [];
  let made = 0;
  const list = orderedList({
    label,
    move(from, to) {
      entries = moved(entries, from, to);
      show();
      notify();
    },
  });
  const notify = () => list.element.dispatchEvent(new Event("input", { bubbles: true }));
  const create = (rule: StyleRule): RuleEntry => {
    const id = `rule-${++made}`;
    return ruleEntry(rule, { id, place, columns, onRemove: () => removeEntry(id) });
  };
  const removeEntry = (id: string) => {
    const at = entries.findIndex((each) => each.id === id);
    entries = entries.filter((each) => each.id !== id);
    show();
    notify();
    (entries[Math.min(at, entries.length - 1)]?.field ?? add).focus();
  };
  const show = () =>
    list.show(
      entries.map(({ id, content }, at) => ({ id, label: t("table.rules.entry", { number: at + 1 }), content })),
    );
  const add = h("button", { type: "button", class: "plain small" }, icon("plus"), t("table.rules.add"));
  add.addEventListener("click", () => {
    const entry = create({ columnId: null, formula: "", style: NEW_STYLE, stored: undefined });
    entries = [...entries, entry];
    show();
    notify();
    entry.field.focus();
  });
  const now = () => entries.map((entry) => entry.value());
  let before = "";
  const reset = (rules: readonly StyleRule[]) => {
    entries = rules.map(create);
    show();
    before = JSON.stringify(now());
  };
  reset(stored);
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
    reset,
    async showErrors({ isFocusing = false } = {}) {
      const failures = await Promise.all(entries.map((entry) => entry.showErrors()));
      const at = failures.findIndex((failure) => failure !== null);
      if (isFocusing) entries[at]?.field.focus();
      return failures[at] ?? null;
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
  reset: () => {},
  showErrors: async () => null,
});
