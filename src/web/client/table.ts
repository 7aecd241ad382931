/** The page of a table. */
import type { TablePageData } from "../table-data.ts";
import { find, h } from "./base/dom.ts";
import { openMenu } from "./base/menu.ts";
import { attachControls } from "./grid/keys.ts";
import { HEAD, type Place } from "./grid/selection.ts";
import { openCard } from "./table/card.ts";
import { attachCellLine } from "./table/cell-line.ts";
import { Changes } from "./table/changes.ts";
import { attachClipboard } from "./table/clipboard.ts";
import { attachColumnMenu } from "./table/column-menu.ts";
import { openColumnPanel } from "./table/column-panel.ts";
import type { Column } from "./table/columns.ts";
import { Editing } from "./table/editing.ts";
import { openFiles } from "./table/files-dialog.ts";
import { follow } from "./table/live.ts";
import { newColumn } from "./table/new-column.ts";
import { rowMenu } from "./table/row-menu.ts";
import { Rows } from "./table/rows.ts";
import { Sheet } from "./table/sheet.ts";
import { attachTables, tablesChanged } from "./table/tables-list.ts";
import { attachToolbar } from "./table/toolbar.ts";

const data = JSON.parse(find("#table-data").textContent ?? "") as TablePageData;
if (data.table === null) attachTables(data, new Changes(data.docId, () => {}));
else open({ ...data, table: data.table });

function open(page: TablePageData & { table: string }): void {
  const sheet = new Sheet(page);
  const changes = new Changes(page.docId, () => sheet.refresh());
  changes.beforeEach(() => sheet.clearProblem());
  const rows = new Rows(sheet, changes);
  const openPanel = (column: Column) => void openColumnPanel(column, { sheet, changes });
  const addColumn = (after?: Column) => void newColumn({ sheet, changes, openPanel, after });
  const editing = new Editing({
    sheet,
    changes,
    openFormula: openPanel,
    openFiles: (column, row) => openFiles(column, row, { sheet, changes }),
  });
  const menu = (place: Place, at: { x: number; y: number } | null) => {
    const element = sheet.grid.elementAt(place) ?? sheet.grid.element;
    const column = sheet.shown[place.column];
    const box = element.getBoundingClientRect();
    const point = at ?? { x: box.left, y: box.bottom };
    if (place.row === HEAD) return column && sheet.openColumnMenu(column, element, point);
    if (!sheet.grid.selection.isRows) sheet.grid.activate({ row: place.row, column: Math.max(0, place.column) });
    openMenu(element, rowMenu(place.row, { sheet, changes, rows }), point);
  };
  attachControls(
    sheet.grid,
    {
      edit: (typed) => editing.start(typed),
      clear: () => void rows.clear(),
      menu,
      open: (row) => void openCard(row, { sheet, changes }),
      undo: () => void rows.undo(),
      redo: () => void rows.redo(),
      addRow: () => void rows.add(),
      removeRows: () => void rows.remove(),
    },
    () => sheet.pages.count,
  );
  sheet.activated = attachCellLine(sheet, find("#grid-host"));
  attachColumnMenu({ sheet, changes, openPanel, addColumn });
  attachToolbar({ sheet, changes, rows, addColumn: () => addColumn() });
  attachTables(page, changes);
  attachClipboard(sheet, changes);
  const place = h("div", { class: "live-note" });
  find("#sheet-problem").before(place);
  follow({ sheet, eventId: page.eventId, place, tablesChanged: () => void tablesChanged(page, changes) });
}
