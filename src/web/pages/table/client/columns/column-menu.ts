import { confirmDialog } from "../../../../base/client/dialog.ts";
import { fieldErrorShown } from "../../../../base/client/form-field.ts";
import { nameElement } from "../../../../base/client/dom.ts";
import { type MenuEntry, type MenuItem, openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { canGroupBy, defaultPeriod } from "../groups/grouping.ts";
import { MAX_GROUPS } from "../../../../base/view-state.ts";
import { withDirection } from "../../../../base/views/sort-options.ts";
import { setAllItems } from "../all-rows/set-all-items.ts";
import type { UndoManager } from "../undo-manager.ts";
import { duplicateColumn, openWidthDialog, renameColumn } from "../on-first-use.ts";
import type { ColumnPosition } from "./column-position.ts";
import type { Column } from "./columns.ts";
import { setColumnHidden } from "./hide-columns.ts";
import { freezeUpTo, isFrozen, moveColumn } from "./move-column.ts";
import { filteredColumns } from "../view/filter-model.ts";
import type { GridSheet } from "../sheet.ts";
import { showUndoToast } from "../undo-toast.ts";

export interface ColumnMenuOptions {
  readonly sheet: GridSheet;
  readonly changes: UndoManager;
  readonly openPanel: (column: Column) => void;
  readonly addColumn: (place: ColumnPosition) => void;
}

/** Adds the menus of column headers. */
export function attachColumnMenu(options: ColumnMenuOptions): void {
  const { sheet } = options;
  sheet.onOpenColumnMenu = (column, button, at) => {
    const openTotals = () => openMenu(button, sheet.totals.items(column), at);
    openMenu(button, columnMenuItems(column, options, openTotals), at);
  };
}

function columnMenuItems(column: Column, options: ColumnMenuOptions, openTotals: () => void): MenuEntry[] {
  const groups = [
    objectItems(column, options),
    viewItems(column, options.sheet, openTotals),
    insertItems(column, options),
    layoutItems(column, options.sheet),
    deleteItems(column, options),
  ];
  return groups
    .filter((items) => items.length > 0)
    .flatMap((items, at): MenuEntry[] => (at === 0 ? items : ["separator", ...items]));
}

function objectItems(column: Column, options: ColumnMenuOptions): MenuItem[] {
  const { sheet, openPanel } = options;
  const open = () => openPanel(column);
  if (column.isGroupBy) return [{ label: t("table.column.about"), icon: "pencil", run: open }];
  if (sheet.canEdit)
    return [
      { label: t("table.column.edit"), icon: "pencil", run: open },
      { label: t("table.column.rename"), icon: "type", shortcut: "F2", run: () => void renameColumn(column, options) },
    ];
  const isComputed = column.isFormula && !column.isEmpty;
  return isComputed ? [{ label: t("table.column.showFormula"), icon: "pencil", run: open }] : [];
}

function viewItems(column: Column, sheet: GridSheet, openTotals: () => void): MenuItem[] {
  const { view } = sheet;
  const sort = view.sortOf(column.id);
  // Options of a sort are kept in the other direction.
  const sortBy = (isDescending: boolean) => () =>
    view.setSort([withDirection(sort ?? { columnId: column.id, isDescending }, isDescending, column.type.base)]);
  const isFiltered = filteredColumns(view.state.filter).has(column.id);
  return [
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
  ];
}

function insertItems(column: Column, options: ColumnMenuOptions): MenuItem[] {
  const { sheet, addColumn } = options;
  if (!sheet.canEdit) return [];
  const duplicate: MenuItem = {
    label: t("table.column.duplicate"),
    icon: "copy",
    run: () => void duplicateColumn(column, options),
  };
  return [
    { label: t("table.column.insertLeft"), icon: "plus", run: () => addColumn({ column, side: "left" }) },
    { label: t("table.column.insertRight"), icon: "plus", run: () => addColumn({ column, side: "right" }) },
    // A summary table only takes formula columns.
    ...(sheet.isSummary && !column.isFormula ? [] : [duplicate]),
  ];
}

/** Commands of the view, which viewers have, too. */
function layoutItems(column: Column, sheet: GridSheet): MenuItem[] {
  const at = sheet.shown.indexOf(column);
  const move = (to: number) => () => moveColumn(sheet, at, to);
  const last = sheet.shown.length - 1;
  const [left, right] = ["Alt+Shift+ArrowLeft", "Alt+Shift+ArrowRight"];
  const moveLeft = {
    label: t("table.column.moveLeft"),
    icon: "arrow-left",
    shortcut: left,
    run: move(at - 1),
  } as const;
  const moveRight = {
    label: t("table.column.moveRight"),
    icon: "arrow-right",
    shortcut: right,
    run: move(at + 1),
  } as const;
  const freeze = { label: t("table.column.freeze"), icon: "pin", run: () => freezeUpTo(sheet, column) } as const;
  const unfreeze = { label: t("table.column.unfreeze"), icon: "pin-off", run: () => freezeUpTo(sheet, null) } as const;
  return [
    ...(at > 0 ? [moveLeft] : []),
    ...(at < last ? [moveRight] : []),
    ...(at < last && sheet.view.state.frozen !== at + 1 ? [freeze] : []),
    ...(isFrozen(sheet, column) ? [unfreeze] : []),
    { label: t("table.column.width"), icon: "ruler", run: () => void openWidthDialog(column, sheet) },
    {
      label: t("table.column.fitWidth"),
      icon: "move-horizontal",
      run: () => sheet.resize(at, sheet.grid.contentWidth(at)),
    },
    ...(last > 0
      ? [{ label: t("table.column.hide"), icon: "eye-off" as const, run: () => hideColumn(column, sheet) }]
      : []),
  ];
}

function hideColumn(column: Column, sheet: GridSheet): void {
  setColumnHidden(sheet, column.id, true);
  showToast(t.rich("table.column.hidden", { column: nameElement(column.name) }), {
    action: {
      label: t("table.column.show"),
      run() {
        setColumnHidden(sheet, column.id, false);
      },
    },
  });
}

function deleteItems(column: Column, options: ColumnMenuOptions): MenuItem[] {
  if (!options.sheet.canEdit || column.isGroupBy) return [];
  const run = () => void deleteColumn(column, options);
  return [
    ...setAllItems(column, options),
    { label: t("table.column.delete"), icon: "trash-2", isDangerous: true, run },
  ];
}

function groupItems(column: Column, { view, grouping }: GridSheet): MenuItem[] {
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
      const { askIfTooLarge } = await import("../all-rows/too-large.ts");
      const savesFirst = await askIfTooLarge(sheet.large, { filter: {}, columns: [column.id] });
      // Cancelling the question leads back to the confirmation.
      if (savesFirst === null) throw fieldErrorShown();
      await changes.apply([["RemoveColumn", sheet.table, column.id]], { savesFirst });
      await sheet.reloadColumns();
    },
  });
  if (!isDone) return;
  showUndoToast(t.rich("table.column.deleted", name()), { sheet, changes, undone: () => sheet.reloadColumns() });
}
