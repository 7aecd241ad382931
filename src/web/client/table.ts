/** The page of a table. */
import type { TablePageData } from "../table-data.ts";
import { find } from "./base/dom.ts";
import { attachControls } from "./grid/keys.ts";
import { Sheet } from "./table/sheet.ts";

const data = JSON.parse(find("#table-data").textContent ?? "") as TablePageData;
if (data.table !== null) open({ ...data, table: data.table });

function open(page: TablePageData & { table: string }): void {
  const sheet = new Sheet(page);
  const nothing = () => {};
  attachControls(
    sheet.grid,
    {
      edit: nothing,
      clear: nothing,
      menu: nothing,
      open: nothing,
      undo: nothing,
      redo: nothing,
      addRow: nothing,
      removeRows: nothing,
    },
    () => sheet.pages.count,
  );
}
