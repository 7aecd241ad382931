/** Parts of the page whose scripts are loaded on first use. */
import type { ColumnPanelOptions } from "./columns/column-panel.ts";
import type { AllRowsCommand, AllRowsOptions } from "./all-rows/change-all.ts";
import type { EditAllOptions } from "./all-rows/edit-all.ts";
import type { RowStylesOptions } from "./columns/row-styles-panel.ts";
import type { Column } from "./columns/columns.ts";
import type { UndoManager } from "./undo-manager.ts";
import type { FilesDialogOptions } from "./cells/files-dialog.ts";
import type { RowPanelOptions, RowPlace } from "./row-panel/row-panel.ts";
import type { RecordJson } from "../../../base/table-data.ts";
import type { GridSheet, Sheet } from "./sheet.ts";
import type { FilterTarget } from "./view/filter-target.ts";

export const openRowPanel = (index: number, options: RowPanelOptions): Promise<void> =>
  open(options.sheet, async () => (await import("./row-panel/row-panel.ts")).openRowPanel(index, options));

export const openRowPanelOf = (place: RowPlace, options: RowPanelOptions): Promise<void> =>
  open(options.sheet, async () => (await import("./row-panel/row-panel.ts")).openRowPanelOf(place, options));

export const openColumnPanel = (column: Column, options: ColumnPanelOptions): Promise<void> =>
  open(options.sheet, async () => (await import("./columns/column-panel.ts")).openColumnPanel(column, options));

export const openRowStyles = (options: RowStylesOptions): Promise<void> =>
  open(options.sheet, async () => (await import("./columns/row-styles-panel.ts")).openRowStyles(options));
export const renameColumn = (column: Column, options: { sheet: GridSheet; changes: UndoManager }): Promise<void> =>
  open(options.sheet, async () => (await import("./columns/rename-column.ts")).renameColumn(column, options));

export const duplicateColumn = (column: Column, options: { sheet: Sheet; changes: UndoManager }): Promise<void> =>
  open(options.sheet, async () => (await import("./columns/duplicate-column.ts")).duplicateColumn(column, options));

export const openWidthDialog = (column: Column, sheet: Sheet): Promise<void> =>
  open(sheet, async () => (await import("./columns/width-dialog.ts")).openWidthDialog(column, sheet));

export const openFilesDialog = (column: Column, row: RecordJson, options: FilesDialogOptions): Promise<void> =>
  open(options.sheet, async () => (await import("./cells/files-dialog.ts")).openFilesDialog(column, row, options));

export const openFilterBuilder = (sheet: Sheet, button: HTMLElement, target: FilterTarget): Promise<void> =>
  open(sheet, async () => (await import("./view/builder/filter-builder.ts")).openFilterBuilder(sheet, button, target));

export const openSortPopover = (sheet: Sheet, button: HTMLElement): Promise<void> =>
  open(sheet, async () => (await import("./view/lists/sort-popover.ts")).openSortPopover(sheet, button));

export const openColumnsPopover = (sheet: Sheet, button: HTMLElement): Promise<void> =>
  open(sheet, async () => (await import("./view/lists/columns-popover.ts")).openColumnsPopover(sheet, button));

export const openGroupPopover = (sheet: Sheet, button: HTMLElement): Promise<void> =>
  open(sheet, async () => (await import("./groups/group-popover.ts")).openGroupPopover(sheet, button));

export const changeAllRows = (command: AllRowsCommand, options: AllRowsOptions): Promise<void> =>
  open(options.sheet, async () => (await import("./all-rows/change-all.ts")).changeAllRows(command, options));

export const openEditAllRows = (options: EditAllOptions): Promise<void> =>
  open(options.sheet, async () => (await import("./all-rows/edit-all.ts")).openEditAllRows(options));

/** Shows a failure to load the script above the grid. */
async function open(sheet: Sheet, start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    sheet.showError(error, () => void open(sheet, start));
  }
}
