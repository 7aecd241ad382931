import { h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Column } from "./columns.ts";
import { clearErrorsOnInput, problemPlace, showFormulaErrors } from "./formula-problems.ts";
import type { FormulaFailure } from "./formula-errors.ts";
import { columnButtons, functionList, helpLink } from "./function-list.ts";
import { formulaCodeField } from "../formula/formula-code-field.ts";
import type { CodeField } from "../../../../base/client/code-editor/code-field.ts";
import type { Sheet } from "../sheet.ts";

export interface FormulaField {
  readonly element: HTMLElement;
  readonly field: Pick<CodeField, "text" | "focus" | "select">;
  /** Checks the formula again, when the kind of its column changes. */
  recheck(): void;
  /** Shows the current errors at their line. Returns the first one; null without errors. */
  showErrors(columnId: string): Promise<FormulaFailure | null>;
}

/** A formula field with the list of functions. */
export function formulaField(
  sheet: Sheet,
  column: Column,
  { isReadonly, isTrigger = () => false }: { isReadonly: boolean; isTrigger?: () => boolean },
): FormulaField {
  const problems = problemPlace();
  const area = h("textarea", {
    class: "code",
    name: "formula",
    rows: 5,
    spellcheck: "false",
    readonly: isReadonly,
    autocapitalize: "off",
    "aria-describedby": problems.id,
  });
  area.value = column.formula;
  area.setSelectionRange(area.value.length, area.value.length);
  const code = isReadonly
    ? null
    : formulaCodeField(area, { sheet, columnId: column.id, label: t("table.column.formula"), isTrigger });
  clearErrorsOnInput({ area, problems, field: code?.field });
  const insert = (text: string) => code?.field.insert(text);
  const others = sheet.columns.filter(({ id }) => id !== column.id);
  const example = (text: string) => h("code", { translate: "no" }, text);
  const hint = t.rich("table.formula.hint", { example: example("$Name"), column: example("Name") });
  return {
    field: code?.field ?? { text: area.value, focus: () => area.focus(), select: () => area.select() },
    element: h(
      "div",
      { class: "formula-field" },
      h("label", {}, t("table.column.formula"), area),
      h("p", { class: "hint" }, ...hint, " ", helpLink("formulas", t("base.menu.help"))),
      problems,
      code?.help,
      !isReadonly && h("p", { class: "hint scripted-keys" }, t("table.formula.keys")),
      !isReadonly && columnButtons(others, insert),
      !isReadonly && functionList(insert),
    ),
    recheck: () => area.dispatchEvent(new Event("change")),
    showErrors: (columnId) => showFormulaErrors(sheet, columnId, { area, problems, field: code?.field }),
  };
}
