/** The page of a table. */
import type { TablePageData } from "../../../base/table-data.ts";
import { find, h } from "../../../base/client/dom.ts";
import { openMenu } from "../../../base/client/menu.ts";
import { attachGridControls } from "../../../base/client/grid/controls.ts";
import { HEADER_ROW, type CellPosition } from "../../../base/client/grid/selection.ts";
import { openRowCard } from "./rows/row-card.ts";
import { attachCellStatus } from "./cells/cell-status.ts";
import { UndoManager } from "./undo-manager.ts";
import { attachClipboard } from "./clipboard/clipboard.ts";
import { attachColumnMenu } from "./columns/column-menu.ts";
import { openColumnPanel } from "./columns/column-panel.ts";
import type { Column } from "./columns/columns.ts";
import { CellEditing } from "./cells/cell-editing.ts";
import { openFilesDialog } from "./cells/files-dialog.ts";
import { subscribeToChanges } from "./live-updates.ts";
import { openNewColumnDialog } from "./columns/new-column.ts";
import { rowMenuItems } from "./rows/row-menu.ts";
import { RowCommands } from "./rows/row-commands.ts";
import { withStoredIds } from "./rows/stored-ids.ts";
import { Sheet } from "./sheet.ts";
import { attachTableList, refreshTableList } from "./table-list.ts";
import { attachToolbar } from "./toolbar.ts";
import { followCellAddress } from "./why/cell-address.ts";

const data = JSON.parse(find("#table-data").textContent ?? "") as TablePageData;
if (data.table === null) attachTableList(data, new UndoManager(data.docId, () => {}));
else openTable({ ...data, table: data.table });

function openTable(page: TablePageData & { table: string }): void {
  const sheet = new Sheet(page);
  const changes = new UndoManager(
    page.docId,
    () => sheet.refresh(),
    (actions) => withStoredIds(actions, sheet.rowPages),
  );
  changes.onBeforeChange(() => sheet.clearError());
  const rows = new RowCommands(sheet, changes);
  const openPanel = (column: Column, isNew = false) => void openColumnPanel(column, { sheet, changes, isNew });
  const addColumn = (after?: Column) => void openNewColumnDialog({ sheet, changes, openPanel, after });
  const editing = new CellEditing({
    sheet,
    changes,
    openFormula: (column) => openPanel(column),
    openFiles: (column, row) => openFilesDialog(column, row, { sheet, changes }),
  });
  const openCellMenu = (place: CellPosition, at: { x: number; y: number } | null) => {
    const element = sheet.grid.elementAt(place) ?? sheet.grid.element;
    const column = sheet.shown[place.column];
    const box = element.getBoundingClientRect();
    const anchor = at ?? { x: box.left, y: box.bottom };
    if (place.row === HEADER_ROW) return column && sheet.onOpenColumnMenu(column, element, anchor);
    if (!sheet.grid.selection.isRows) sheet.grid.activate({ row: place.row, column: Math.max(0, place.column) });
    const cell = place.column >= 0 && !sheet.grid.selection.isRows ? column : undefined;
    openMenu(element, rowMenuItems(place.row, { sheet, changes, rows, column: cell }), anchor);
  };
  attachGridControls(
    sheet.grid,
    {
      edit: (typed) => editing.start(typed),
      clear: () => void rows.clear(),
      openMenu: openCellMenu,
      openRow: (row) => void openRowCard(row, { sheet, changes }),
      undo: () => void rows.undo(),
      redo: () => void rows.redo(),
      addRow: () => void rows.add(),
      removeRows: () => void rows.remove(),
    },
    () => sheet.rowPages.count,
  );
  const showStatus = attachCellStatus(sheet, find("#grid-host"));
  sheet.onActivate = (place) => {
    // Another cell becomes active while an editor is open, such as that of a new row.
    if (editing.isOpen) editing.save();
    showStatus(place);
  };
  followCellAddress(sheet);
  attachColumnMenu({ sheet, changes, openPanel, addColumn });
  attachToolbar({ sheet, changes, rows, addColumn: () => addColumn() });
  attachTableList(page, changes);
  attachClipboard(sheet, changes);
  const container = h("div", { class: "live-note" });
  find("#sheet-problem").before(container);
  subscribeToChanges({
    sheet,
    eventId: page.eventId,
    container,
    tablesChanged: () => void refreshTableList(page, changes),
  });
}
