/** Formats and styles of a column for one section: the command that separates them from those of the column, and back. */
import { h, icon } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../sheet.ts";
import { showUndoToast } from "../undo-toast.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import type { ShownField } from "../view/shown-field.ts";
import { type Column, parseWidgetOptions } from "./columns.ts";

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
  const change = async (actions: readonly UserAction[], text: string) => {
    try {
      await changes.apply(actions);
      await sheet.reloadColumns();
      reopen();
      showUndoToast(text, { sheet, changes, undone: () => sheet.reloadColumns() });
    } catch (error) {
      sheet.showError(error);
    }
  };
  const button = h(
    "button",
    { type: "button", class: "plain small" },
    icon("settings"),
    field.hasOwnSettings ? t("view.field.common") : t("view.field.own"),
  );
  button.addEventListener("click", () =>
    field.hasOwnSettings
      ? void change([["UpdateRecord", FIELDS, field.ref, { widgetOptions: "" }]], t("view.field.isCommon"))
      : void change(separateActions(column, field, sheet), t("view.field.isOwn")),
  );
  const state = field.hasOwnSettings ? t("view.field.ownNote") : t("view.field.commonNote");
  return h("div", { class: "field-settings" }, h("p", { class: "hint" }, state), h("div", { class: "bar" }, button));
}

/** The field begins with the settings of its column, but for conditional styles, which are formulas of their own. */
function separateActions({ ref }: Column, field: ShownField, { table, data }: Sheet): UserAction[] {
  const { rulesOptions: _, ...options } = parseWidgetOptions(field.columnOptions);
  const own = { widgetOptions: JSON.stringify(options) };
  const listing = (colRef: number) => data.columns.find(({ fields }) => fields.colRef === colRef)?.fields;
  const formula = listing(listing(ref)?.displayCol ?? 0)?.formula;
  const { visibleCol } = field;
  // Other programs show ids of references in fields that do not name a column.
  if (visibleCol === 0 || formula === undefined) return [["UpdateRecord", FIELDS, field.ref, own]];
  return [
    ["UpdateRecord", FIELDS, field.ref, { ...own, visibleCol }],
    ["SetDisplayFormula", table, field.ref, null, formula],
  ];
}
