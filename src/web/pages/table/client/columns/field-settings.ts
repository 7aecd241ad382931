/** Formats and styles of a column for one section: the command that separates them from those of the column, and back. */
import { h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";
import { showUndoToast } from "../undo-toast.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import type { ShownField } from "../view/shown-field.ts";
import type { Column } from "./columns.ts";
import { applyRules, type RuleChange } from "./apply-rules.ts";
import { copiedRules, separateActions } from "./separate-field.ts";

const FIELDS = "_grist_Views_section_field";

export interface FieldSettingsOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** Shows the column with its new settings. */
  readonly reopen: () => void;
}

/** Returns null on the page of a table, where columns have no settings of a section. */
export function fieldSettings(
  column: Column,
  field: ShownField | null,
  { sheet, changes, reopen }: FieldSettingsOptions,
): HTMLElement | null {
  if (!field) return null;
  const change = async (apply: () => Promise<unknown>, text: string) => {
    try {
      await apply();
      await sheet.reloadColumns();
      reopen();
      showUndoToast(text, { sheet, changes, undone: () => sheet.reloadColumns() });
    } catch (error) {
      sheet.showError(error);
    }
  };
  const common: UserAction = ["UpdateRecord", FIELDS, field.ref, { widgetOptions: "" }];
  const button = h(
    "button",
    { type: "button", class: "plain small" },
    icon("settings"),
    field.hasOwnSettings ? t("view.field.common") : t("view.field.own"),
  );
  button.addEventListener("click", () =>
    field.hasOwnSettings
      ? void change(() => changes.apply([common]), t("view.field.isCommon"))
      : void change(() => applyRules({ sheet, changes }, separation(column, field, sheet)), t("view.field.isOwn")),
  );
  const state = field.hasOwnSettings ? t("view.field.ownNote") : t("view.field.commonNote");
  return h("div", { class: "field-settings" }, h("p", { class: "hint" }, state), h("div", { class: "bar" }, button));
}

/** Styles are copied as they are when the change is sent. */
function separation(column: Column, field: ShownField, sheet: Sheet): RuleChange {
  const current = (): Column => sheet.columns.find(({ ref }) => ref === column.ref) ?? column;
  let copied = 0;
  return {
    actions() {
      const now = current();
      copied = copiedRules(now).length;
      return separateActions(now, sheet.view.fieldOf(column.ref) ?? field, sheet);
    },
    isComplete: () => current().rules.length === copied,
  };
}
