/** Makes a sheet usable: its keys, menus, tools and status line. The pages of tables and of several sections share it. */
import { attachGridControls } from "../../../base/client/grid/controls.ts";
import { Grid } from "../../../base/client/grid/grid.ts";
import { attachFooterKeys } from "../../../base/client/grid/footer-keys.ts";
import type { HeaderCommand } from "../../../base/client/grid/grid-keys.ts";
import { attachHeaderDrag } from "../../../base/client/grid/header-drag.ts";
import { attachLongPress } from "../../../base/client/grid/long-press.ts";
import { contains, HEADER_ROW, type CellPosition } from "../../../base/client/grid/selection.ts";
import type { MenuEntry } from "../../../base/client/menu.ts";
import { attachAllRows } from "./all-rows/all-rows-status.ts";
import { CellEditing } from "./cells/cell-editing.ts";
import { attachCellStatus } from "./cells/cell-status.ts";
import { attachClipboard } from "./clipboard/clipboard.ts";
import { attachColumnMenu } from "./columns/column-menu.ts";
import type { ColumnPosition } from "./columns/column-position.ts";
import type { Column } from "./columns/columns.ts";
import { moveColumn } from "./columns/move-column.ts";
import { openNewColumnDialog } from "./columns/new-column.ts";
import { CellCommands } from "./commands/cell-commands.ts";
import { attachFillHandle } from "./commands/fill-handle.ts";
import { openCellMenu } from "./commands/open-cell-menu.ts";
import { attachGroupRows } from "./groups/group-rows.ts";
import { openColumnPanel, openFilesDialog, openRowPanel, renameColumn } from "./on-first-use.ts";
import { RowMoves } from "./rows/move-rows.ts";
import { RowCommands } from "./rows/row-commands.ts";
import { attachRowGrip } from "./rows/row-grip.ts";
import { type GridSheet, Sheet } from "./sheet.ts";
import type { SheetSetup } from "./sheet-setup.ts";
import { attachToolbar, type ToolbarOptions } from "./toolbar.ts";
import { attachRangeSummary } from "./totals/range-summary.ts";
import type { UndoManager } from "./undo-manager.ts";
import { attachViewChips } from "./view/view-chips.ts";

export interface SheetOptions extends SheetSetup {
  readonly changes: UndoManager;
  /** The commands in the menu beside its name. */
  readonly items: (sheet: Sheet) => MenuEntry[];
  /** Adds the tools; by default those of a sheet that fills the page. */
  readonly attachTools?: (options: ToolbarOptions) => void;
}

export interface OpenedSheet {
  readonly sheet: GridSheet;
  readonly rows: RowCommands;
}

export function openSheet({ changes, items, attachTools = attachToolbar, ...setup }: SheetOptions): OpenedSheet {
  const sheet = new Sheet(setup, (options) => new Grid(options));
  const { parts } = sheet;
  changes.onBeforeChange(() => sheet.clearError());
  const rows = new RowCommands(sheet, changes);
  const moves = new RowMoves(sheet, changes);
  const openPanel = (column: Column, isNew = false) => void openColumnPanel(column, { sheet, changes, isNew });
  const openFormula = (column: Column) => void openColumnPanel(column, { sheet, changes, startsInFormula: true });
  const addColumn = (place?: ColumnPosition) => void openNewColumnDialog({ sheet, changes, openPanel, place });
  const editing = new CellEditing({
    sheet,
    changes,
    openFormula,
    openFiles: (column, row) => void openFilesDialog(column, row, { sheet, changes }),
    openRow: (row) => void openRowPanel(row, { sheet, changes, rows }),
    addRow: (column) => void rows.addAtEnd(column),
  });
  const clipboard = attachClipboard({ sheet, changes, clearCut: (range) => commands.clearCut(range) });
  const commands = new CellCommands({ sheet, changes, rows, moves, editing, askBeforePaste: clipboard.askBeforePaste });
  const openMenuAt = (place: CellPosition, at: { x: number; y: number } | null) => {
    if (place.row >= 0) selectForMenu(sheet, place);
    const element = sheet.grid.elementAt(place) ?? sheet.grid.element;
    const box = element.getBoundingClientRect();
    const anchor = at ?? { x: box.left, y: box.bottom };
    const column = sheet.shown[place.column];
    if (place.row === HEADER_ROW) return column && sheet.onOpenColumnMenu(column, element, anchor);
    void openCellMenu(element, anchor, { sheet, changes, rows, moves, commands, clipboard });
  };
  attachGridControls(
    sheet.grid,
    {
      edit: (typed) => editing.start(typed),
      openMenu: openMenuAt,
      openRow: (row) => void openRowPanel(row, { sheet, changes, rows }),
      run: (command) => commands.run(command),
      runHeader: (command, at) => runHeader(command, at, { sheet, changes }),
    },
    () => sheet.rowPages.count,
  );
  // The skip link leads here, and on to the active cell.
  parts.gridHost.addEventListener("focus", () => sheet.grid.focus());
  attachLongPress(sheet.grid, openMenuAt);
  attachHeaderDrag(sheet.grid, (from, to) => moveColumn(sheet, from, to));
  attachGroupRows(sheet);
  attachFooterKeys(sheet.grid);
  attachRangeSummary(sheet, parts.range);
  attachFillHandle(sheet, changes);
  attachRowGrip(sheet, moves);
  attachAllRows(sheet, changes);
  const showStatus = attachCellStatus(sheet, parts.cellStatus);
  sheet.onActivate = (place) => {
    // Another cell becomes active while an editor is open, such as that of a new row.
    if (editing.isOpen) editing.save();
    showStatus(place);
  };
  attachColumnMenu({ sheet, changes, openPanel, addColumn });
  attachTools({ sheet, changes, rows, addColumn: () => addColumn(), items: () => items(sheet) });
  attachViewChips(sheet);
  return { sheet, rows };
}

/** A menu is about the selection: one outside of it is about its cell, or row, only. */
function selectForMenu({ grid, shown }: Sheet, { row, column }: CellPosition): void {
  const { selection } = grid;
  if (selection.hasRow(row)) return;
  const isInside = contains(selection.range(shown.length), { row, column: Math.max(0, column) });
  if (column < 0 && !(selection.isRows && isInside)) selection.selectRow(row, { extend: false });
  else if (column >= 0 && !isInside) selection.move({ row, column });
  else return;
  grid.selectionChanged();
  grid.focus();
}

function runHeader(command: HeaderCommand, at: number, options: { sheet: GridSheet; changes: UndoManager }): boolean {
  const { sheet } = options;
  const column = sheet.shown[at];
  if (command !== "rename") moveColumn(sheet, at, at + (command === "moveColumnLeft" ? -1 : 1));
  else if (column?.isGroupBy) void openColumnPanel(column, options);
  else if (column && sheet.canEdit) void renameColumn(column, options);
  return true;
}
