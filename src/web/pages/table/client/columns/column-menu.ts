import { confirmDialog } from "../../../../base/client/dialog.ts";
import { type MenuItem, openMenu } from "../../../../base/client/menu.ts";
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
    showToast(`${column.name} hidden.`, {
      action: {
        label: "Show",
        run() {
          view.setHidden(column.id, false);
          sheet.showColumns();
        },
      },
    });
  };
  const viewItems: MenuItem[] = [
    { label: "Sort ascending", icon: "ascending", run: sortBy(false) },
    { label: "Sort descending", icon: "descending", run: sortBy(true) },
    ...(sort ? [{ label: "Clear sort", icon: "close" as const, run: () => view.setSort([]) }] : []),
    {
      label: isFiltered ? "Edit filter…" : "Filter…",
      icon: "filter",
      run: () => openFilterDialog(sheet, column),
    },
    ...(sheet.shown.length > 1 ? [{ label: "Hide column", icon: "hide" as const, run: hide }] : []),
  ];
  if (!sheet.canEdit) {
    const isComputed = column.isFormula && !column.isEmpty;
    return isComputed
      ? [...viewItems, { label: "Show formula", icon: "edit", run: () => openPanel(column) }]
      : viewItems;
  }
  return [
    ...viewItems,
    { label: "Edit column…", icon: "edit", run: () => openPanel(column) },
    ...(sheet.isSummary ? [] : [{ label: "Insert column after", icon: "add" as const, run: () => addColumn(column) }]),
    { label: "Delete column", icon: "trash", isDangerous: true, run: () => void deleteColumn(column, options) },
  ];
}

async function deleteColumn(column: Column, { sheet, changes }: ColumnMenuOptions): Promise<void> {
  const isDone = await confirmDialog({
    title: `Delete column “${column.name}”?`,
    text: "Its data is deleted too. You can undo this as long as this window stays open.",
    action: "Delete column",
    isDangerous: true,
    submit: async () => {
      await changes.apply([["RemoveColumn", sheet.table, column.id]]);
      await sheet.reloadColumns();
    },
  });
  if (isDone) showUndoToast(`Column ${column.name} deleted.`, { sheet, changes, undone: () => sheet.reloadColumns() });
}
