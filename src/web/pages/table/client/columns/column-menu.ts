import { confirmDialog } from "../../../../base/client/dialog.ts";
import { nameElement } from "../../../../base/client/dom.ts";
import { type MenuItem, openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { canGroupBy, defaultPeriod } from "../groups/grouping.ts";
import { MAX_GROUPS } from "../../../../base/view-state.ts";
import { setAllItems } from "../all-rows/set-all-items.ts";
import type { UndoManager } from "../undo-manager.ts";
import type { Column } from "./columns.ts";
import { filteredColumns } from "../view/filter-model.ts";
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
    const openTotals = () => openMenu(button, sheet.totals.items(column), at);
    openMenu(button, columnMenuItems(column, options, openTotals), at);
  };
}

function columnMenuItems(column: Column, options: ColumnMenuOptions, openTotals: () => void): MenuItem[] {
  const { sheet, openPanel, addColumn } = options;
  const { view } = sheet;
  const sort = view.sortOf(column.id);
  const sortBy = (isDescending: boolean) => () => view.setSort([{ columnId: column.id, isDescending }]);
  const isFiltered = filteredColumns(view.state.filter).has(column.id);
  const hide = () => {
    view.setHidden(column.id, true);
    showToast(t.rich("table.column.hidden", { column: nameElement(column.name) }), {
      action: {
        label: t("table.column.show"),
        run() {
          view.setHidden(column.id, false);
        },
      },
    });
  };
  const viewItems: MenuItem[] = [
    { label: t("table.column.sortAscending"), icon: "arrow-up", run: sortBy(false) },
    { label: t("table.column.sortDescending"), icon: "arrow-down", run: sortBy(true) },
    ...(sort ? [{ label: t("table.column.clearSort"), icon: "x" as const, run: () => view.setSort([]) }] : []),
    {
      label: isFiltered ? t("table.column.editFilter") : t("table.column.filter"),
      icon: "list-filter",
      run: () => sheet.onOpenFilter({ columnId: column.id }),
    },
    ...groupItems(column, sheet),
    { label: t("table.totals.menu"), icon: "sigma", run: openTotals },
    ...(sheet.shown.length > 1 ? [{ label: t("table.column.hide"), icon: "eye-off" as const, run: hide }] : []),
  ];
  if (!sheet.canEdit) {
    const isComputed = column.isFormula && !column.isEmpty;
    return isComputed
      ? [...viewItems, { label: t("table.column.showFormula"), icon: "pencil", run: () => openPanel(column) }]
      : viewItems;
  }
  return [
    ...viewItems,
    { label: t("table.column.edit"), icon: "pencil", run: () => openPanel(column) },
    ...(sheet.isSummary
      ? []
      : [{ label: t("table.column.insertAfter"), icon: "plus" as const, run: () => addColumn(column) }]),
    ...setAllItems(column, options),
    {
      label: t("table.column.delete"),
      icon: "trash-2",
      isDangerous: true,
      run: () => void deleteColumn(column, options),
    },
  ];
}

function groupItems(column: Column, { view, grouping }: Sheet): MenuItem[] {
  const { groups } = view.state;
  const isGrouped = groups.some(({ columnId }) => columnId === column.id);
  if (isGrouped) {
    const others = groups.filter(({ columnId }) => columnId !== column.id);
    return [{ label: t("table.groups.notByColumn"), icon: "group", run: () => view.update({ groups: others }) }];
  }
  if (!canGroupBy(column) || grouping.keys.length >= MAX_GROUPS) return [];
  const key = { columnId: column.id, isDescending: false, by: defaultPeriod(column) };
  return [{ label: t("table.groups.byColumn"), icon: "group", run: () => view.update({ groups: [...groups, key] }) }];
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
