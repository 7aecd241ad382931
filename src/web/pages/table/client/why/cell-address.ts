import { apiWithRetry } from "../../../../base/client/api.ts";
import type { RecordsPage } from "../../../../base/table-data.ts";
import { closePanel } from "../../../../base/client/panel.ts";
import type { Sheet } from "../sheet.ts";

/** Addresses of cells: the fragment of a table's page, `#row=12&column=Total`. */

export interface CellAddress {
  readonly table: string;
  readonly column?: string | undefined;
  readonly row?: number | undefined;
}

export const cellUrl = (sheet: Sheet, { table, column, row }: CellAddress): string =>
  `${sheet.tableUrl(table)}#${new URLSearchParams({ ...(row !== undefined && { row: String(row) }), ...(column !== undefined && { column }) }).toString()}`;

/** Rows whose position is searched. */
const MAX_ROWS = 100_000;

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
  const row = Number.isSafeInteger(id) && id > 0 ? await indexOf(sheet, id) : sheet.grid.selection.active.row;
  if (row < 0) return;
  // On small screens the panel covers the grid.
  const panel = document.querySelector("main > .panel");
  if (panel && getComputedStyle(panel).position === "fixed" && !(await closePanel())) return;
  sheet.grid.activate({ row: Math.max(0, row), column: Math.max(0, column) });
}

/** Returns the position of a row in the present view; -1 if the view does not show it. */
async function indexOf(sheet: Sheet, id: number): Promise<number> {
  await sheet.rowPages.whenLoaded();
  const loaded = sheet.rowPages.indexOf(id);
  if (loaded >= 0) return loaded;
  const query = { ...sheet.view.query, fields: "id", limit: MAX_ROWS };
  try {
    const { records } = await apiWithRetry<RecordsPage>(`${sheet.path}/records`, { query });
    return records.findIndex((record) => record.id === id);
  } catch {
    return -1;
  }
}
