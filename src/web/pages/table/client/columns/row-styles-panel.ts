/** The panel of the conditional styles of a table's rows. */
import { h } from "../../../../base/client/dom.ts";
import { closePanel, openSidePanel } from "../../../../base/client/panel.ts";
import { clearError, showError } from "../../../../base/client/problem.ts";
import { isBusy, setBusy } from "../../../../base/client/focus.ts";
import { t } from "../../../../base/client/texts.ts";
import { watchUnsaved } from "../../../../base/client/unsaved.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";
import { parseWidgetOptions } from "./columns.ts";
import { mergeRules } from "./merge-rules.ts";
import { applyRules } from "./apply-rules.ts";
import { ruleActions, storedStyles } from "./rule-actions.ts";
import { rulesField } from "./rules-field.ts";

export interface RowStylesOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
}

export async function openRowStyles({ sheet, changes }: RowStylesOptions): Promise<void> {
  if (!(await closePanel())) return;
  let opened = sheet.rowRules;
  const field = rulesField({ label: t("table.rules.rows"), rules: opened, columns: sheet.columns, place: sheet });
  const problem = h("div", { class: "problem-place" });
  const save = h("button", {}, t("table.save"));
  const form = h("form", {}, field.element, h("footer", {}, problem, h("div", { class: "bar" }, save)));
  let count = 0;
  const actions = (): UserAction[] => {
    const edited = field.value();
    if (edited === null || !sheet.section) return [];
    // Other windows may have changed them meanwhile.
    const rules = mergeRules(opened, edited, sheet.rowRules);
    count = rules.length;
    const columnIds = sheet.data.columns.map(({ id }) => id);
    const { rulesOptions: _styles, ...others } = parseWidgetOptions(sheet.section.options);
    const options = JSON.stringify({ ...others, rulesOptions: storedStyles(rules) });
    return [
      ...ruleActions({ table: sheet.table, ref: 0, columnIds }, sheet.rowRules, rules),
      ["UpdateRecord", "_grist_Views_section", sheet.section.ref, { options }],
    ];
  };
  const hasChanges = () => field.value() !== null;
  const unsaved = () => (hasChanges() ? t("table.column.discard") : null);
  const panel = openSidePanel(t("table.rules.rowsTitle"), [form], { onClose: watchUnsaved(hasChanges), unsaved });
  void field.showErrors();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  const run = async () => {
    if (isBusy(save)) return;
    if (!hasChanges()) return panel.close();
    clearError(problem);
    setBusy(save, true);
    try {
      await applyRules({ sheet, changes }, { actions, isComplete: () => sheet.rowRules.length === count });
      opened = sheet.rowRules;
      field.reset(opened);
      const failure = await field.showErrors({ isFocusing: true });
      if (failure === null) panel.close();
      const text = failure ? t("table.rules.rowsSavedFail", { error: failure.error }) : t("table.rules.rowsSaved");
      showUndoToast(text, { sheet, changes, undone: () => sheet.reloadColumns() });
    } catch (error) {
      showError(problem, error, { retry: () => form.requestSubmit() });
    } finally {
      setBusy(save, false);
    }
  };
}
