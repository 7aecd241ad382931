import { tableUrl } from "../tables/table-url.ts";
import { closePanel } from "../../../../base/client/panel.ts";
import { indexOfRow } from "../rows/index-of-row.ts";
import type { Sheet } from "../sheet.ts";

/** Addresses of cells: the fragment of a table's page, `#row=12&column=Total`. */

export interface CellAddress {
  readonly table: string;
  readonly column?: string | undefined;
  readonly row?: number | undefined;
}

export const cellUrl = (sheet: Sheet, { table, column, row }: CellAddress): string =>
  `${tableUrl(sheet.docId, table)}#${new URLSearchParams({ ...(row !== undefined && { row: String(row) }), ...(column !== undefined && { column }) }).toString()}`;

/** Follows the fragment of the page's address, now and when it changes: activates the cell that it names. */
export function followCellAddress(sheet: Sheet): void {
  const follow = () => void activateCell(sheet);
  window.addEventListener("hashchange", follow);
  follow();
}

async function activateCell(sheet: Sheet): Promise<void> {
  const named = new URLSearchParams(location.hash.slice(1));
  const column = sheet.shown.findIndex(({ id }) => id === named.get("column"));
  const id = Number(named.get("row"));
  if (!named.has("column") && !named.has("row")) return;
  const row = Number.isSafeInteger(id) && id > 0 ? await indexOfRow(sheet, id) : sheet.grid.selection.active.row;
  if (row < 0) return;
  // On small screens the panel covers the grid.
  const panel = document.querySelector("main > .panel");
  if (panel && getComputedStyle(panel).position === "fixed" && !(await closePanel())) return;
  sheet.grid.activate({ row: Math.max(0, row), column: Math.max(0, column) });
}
