import { confirmDialog } from "../../../../base/client/dialog.ts";
import { nameElement } from "../../../../base/client/dom.ts";
import { type MenuItem, openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { UndoManager } from "../undo-manager.ts";
import type { Column } from "./columns.ts";
import { openFilterDialog } from "../filter-dialog.ts";
import type { Sheet } from "../sheet.ts";
import { showUndoToast } from "../undo-toast.ts";

export interface ColumnMenuOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly openPanel: (column: Column) => void;
  readonly addColumn: (after: Column) => void;
}

/** Adds the menus of column headers. */
export function attachColumnMenu(options: ColumnMenuOptions): void {
  const { sheet } = options;
  sheet.onOpenColumnMenu = (column, button, at) => {
    openMenu(button, columnMenuItems(column, options), at);
  };
}

function columnMenuItems(column: Column, options: ColumnMenuOptions): MenuItem[] {
  const { sheet, openPanel, addColumn } = options;
  const { view } = sheet;
  const sort = view.sortOf(column.id);
  const sortBy = (isDescending: boolean) => () => view.setSort([{ columnId: column.id, isDescending }]);
  const isFiltered = Object.hasOwn(view.filters, column.id);
  const hide = () => {
    view.setHidden(column.id, true);
    sheet.showColumns();
    showToast(t.rich("table.column.hidden", { column: nameElement(column.name) }), {
      action: {
        label: t("table.column.show"),
        run() {
          view.setHidden(column.id, false);
          sheet.showColumns();
        },
      },
    });
  };
  const viewItems: MenuItem[] = [
    { label: t("table.column.sortAscending"), icon: "ascending", run: sortBy(false) },
    { label: t("table.column.sortDescending"), icon: "descending", run: sortBy(true) },
    ...(sort ? [{ label: t("table.column.clearSort"), icon: "close" as const, run: () => view.setSort([]) }] : []),
    {
      label: isFiltered ? t("table.column.editFilter") : t("table.column.filter"),
      icon: "filter",
      run: () => openFilterDialog(sheet, column),
    },
    ...(sheet.shown.length > 1 ? [{ label: t("table.column.hide"), icon: "hide" as const, run: hide }] : []),
  ];
  if (!sheet.canEdit) {
    const isComputed = column.isFormula && !column.isEmpty;
    return isComputed
      ? [...viewItems, { label: t("table.column.showFormula"), icon: "edit", run: () => openPanel(column) }]
      : viewItems;
  }
  return [
    ...viewItems,
    { label: t("table.column.edit"), icon: "edit", run: () => openPanel(column) },
    ...(sheet.isSummary
      ? []
      : [{ label: t("table.column.insertAfter"), icon: "add" as const, run: () => addColumn(column) }]),
    {
      label: t("table.column.delete"),
      icon: "trash",
      isDangerous: true,
      run: () => void deleteColumn(column, options),
    },
  ];
}

async function deleteColumn(column: Column, { sheet, changes }: ColumnMenuOptions): Promise<void> {
  const name = () => ({ column: nameElement(column.name) });
  const isDone = await confirmDialog({
    title: t.rich("table.column.delete.title", name()),
    text: t("table.column.delete.text"),
    action: t("table.column.delete"),
    isDangerous: true,
    submit: async () => {
      await changes.apply([["RemoveColumn", sheet.table, column.id]]);
      await sheet.reloadColumns();
    },
  });
  if (!isDone) return;
  showUndoToast(t.rich("table.column.deleted", name()), { sheet, changes, undone: () => sheet.reloadColumns() });
}
