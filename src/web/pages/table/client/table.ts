/** The page of a table. */
import type { TablePageData } from "../../../base/table-data.ts";
import { find } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { attachGridControls } from "../../../base/client/grid/controls.ts";
import type { HeaderCommand } from "../../../base/client/grid/grid-keys.ts";
import { attachHeaderDrag } from "../../../base/client/grid/header-drag.ts";
import { attachFooterKeys } from "../../../base/client/grid/footer-keys.ts";
import { attachLongPress } from "../../../base/client/grid/long-press.ts";
import { contains, HEADER_ROW, type CellPosition } from "../../../base/client/grid/selection.ts";
import { attachAllRows } from "./all-rows/all-rows-status.ts";
import { attachCellStatus } from "./cells/cell-status.ts";
import { isNavigating } from "./navigation.ts";
import { UndoManager } from "./undo-manager.ts";
import { attachClipboard } from "./clipboard/clipboard.ts";
import { attachColumnMenu } from "./columns/column-menu.ts";
import type { Column } from "./columns/columns.ts";
import { CellEditing } from "./cells/cell-editing.ts";
import { openColumnPanel, openFilesDialog, openRowPanel, openRowStyles, renameColumn } from "./on-first-use.ts";
import type { ColumnPosition } from "./columns/column-position.ts";
import { moveColumn } from "./columns/move-column.ts";
import { subscribeToChanges } from "./live-updates.ts";
import { CellCommands } from "./commands/cell-commands.ts";
import { openCellMenu } from "./commands/open-cell-menu.ts";
import { attachFillHandle } from "./commands/fill-handle.ts";
import { attachShortcuts } from "./commands/open-shortcuts.ts";
import { openNewColumnDialog } from "./columns/new-column.ts";
import { followRowAddress } from "./rows/follow-row-address.ts";
import { RowMoves } from "./rows/move-rows.ts";
import { attachRowGrip } from "./rows/row-grip.ts";
import { RowCommands } from "./rows/row-commands.ts";
import { withStoredIds } from "./rows/stored-ids.ts";
import { Sheet } from "./sheet.ts";
import { initDocumentSidebar, refreshPages } from "../../../base/client/pages/document-sidebar.ts";
import { onPanelWidth } from "../../../base/client/panel.ts";
import { attachGroupRows } from "./groups/group-rows.ts";
import { attachRangeSummary } from "./totals/range-summary.ts";
import { attachTableList, currentTableItems, importFile, refreshTableList } from "./table-list.ts";
import { dropFiles } from "./tables/drop-files.ts";
import { TABLE_TOAST_KEY } from "./tables/toast-key.ts";
import { attachToolbar } from "./toolbar.ts";
import { attachViewChips } from "./view/view-chips.ts";
import { followCellAddress } from "./why/cell-address.ts";

const data = JSON.parse(find("#table-data").textContent ?? "") as TablePageData;
if (data.table === null) void openWithoutTables(data);
else openTable({ ...data, table: data.table });

async function openWithoutTables(page: TablePageData): Promise<void> {
  const changes = new UndoManager(page, () => {});
  const context = { data: page, changes };
  attachTableList(context);
  initDocumentSidebar(changes);
  const { attachUndoWithoutTables, offerImport, showProblem } = await import("./tables/no-tables.ts");
  if (page.canChangeColumns) offerImport((source) => void importFile(context, null, source));
  if (page.role !== "viewers") attachUndoWithoutTables(changes);
  void showKeptToast(page, changes, showProblem);
}

/** Most pages have none. */
async function showKeptToast({ docId }: TablePageData, changes: UndoManager, showError: (error: unknown) => void) {
  try {
    if (sessionStorage.getItem(TABLE_TOAST_KEY) === null) return;
    (await import("./tables/table-toasts.ts")).showTableToast(docId, changes, showError);
  } catch {
    // Without storage, none was kept.
  }
}

function openTable(page: TablePageData & { table: string }): void {
  const sheet = new Sheet(page);
  const changes = new UndoManager(
    page,
    // A table that the change deleted can no longer be read.
    () => isNavigating() || sheet.refresh(),
    (actions) => withStoredIds(actions, sheet.rowPages),
  );
  changes.onBeforeChange(() => sheet.clearError());
  const context = { data: page, changes, sheet };
  sheet.onImport = (source) => void importFile(context, sheet.table, source);
  const rows = new RowCommands(sheet, changes);
  const moves = new RowMoves(sheet, changes);
  const openPanel = (column: Column, isNew = false) => void openColumnPanel(column, { sheet, changes, isNew });
  const openFormula = (column: Column) => void openColumnPanel(column, { sheet, changes, startsInFormula: true });
  onPanelWidth((width) => sheet.grid.setCoveredWidth(width));
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
  find("#grid-host").addEventListener("focus", () => sheet.grid.focus());
  attachLongPress(sheet.grid, openMenuAt);
  attachHeaderDrag(sheet.grid, (from, to) => moveColumn(sheet, from, to));
  attachGroupRows(sheet);
  attachFooterKeys(sheet.grid);
  attachRangeSummary(sheet, find("#sheet-range"));
  attachFillHandle(sheet, changes);
  attachRowGrip(sheet, moves);
  attachAllRows(sheet, changes);
  const showStatus = attachCellStatus(sheet, find("#cell-status"));
  sheet.onActivate = (place) => {
    // Another cell becomes active while an editor is open, such as that of a new row.
    if (editing.isOpen) editing.save();
    showStatus(place);
  };
  followCellAddress(sheet);
  followRowAddress({ sheet, changes, rows });
  attachColumnMenu({ sheet, changes, openPanel, addColumn });
  attachToolbar({
    sheet,
    changes,
    rows,
    addColumn: () => addColumn(),
    tableItems: () => [
      ...(sheet.section
        ? [
            {
              label: t("table.rules.rowsMenu"),
              icon: "paintbrush" as const,
              run: () => void openRowStyles({ sheet, changes }),
            },
          ]
        : []),
      ...currentTableItems(context),
    ],
  });
  attachViewChips(sheet);
  attachTableList(context);
  initDocumentSidebar(changes);
  if (sheet.canEdit) {
    const target = sheet.isSummary ? null : sheet.table;
    if (target !== null || page.canChangeColumns) dropFiles((source) => void importFile(context, target, source));
  }
  attachShortcuts();
  showSaving(changes, find("#sheet-saving"));
  void showKeptToast(page, changes, (error) => sheet.showError(error));
  // A table without rows takes typing and pasting at once.
  if (sheet.rowPages.isLoaded && sheet.rowPages.count === 0 && document.activeElement === document.body)
    sheet.grid.focus();
  subscribeToChanges({
    sheet,
    eventId: page.eventId,
    container: find("#sheet-live"),
    tablesChanged: () => void refreshTableList(context),
    pagesChanged: () => refreshPages(page.docId).catch(() => {}),
  });
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

function runHeader(command: HeaderCommand, at: number, options: { sheet: Sheet; changes: UndoManager }): boolean {
  const { sheet } = options;
  const column = sheet.shown[at];
  if (command !== "rename") moveColumn(sheet, at, at + (command === "moveColumnLeft" ? -1 : 1));
  else if (column && sheet.canEdit) void renameColumn(column, options);
  return true;
}

/** Most changes are saved before anything would be seen. */
const SAVING_DELAY_MS = 400;

/** Shows changes that take longer to be saved. */
function showSaving(changes: UndoManager, element: HTMLElement): void {
  let delay: ReturnType<typeof setTimeout> | undefined;
  changes.onPending((isPending) => {
    clearTimeout(delay);
    element.hidden = true;
    if (isPending) delay = setTimeout(() => (element.hidden = false), SAVING_DELAY_MS);
  });
}
