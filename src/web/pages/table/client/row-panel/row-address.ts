/** The row whose panel is open is part of the address: a reload, a bookmark or a copied link opens it again. */
import { positiveId, ROW_PARAMETER, withRow } from "../../../../base/views/row-address.ts";
import type { Sheet } from "../sheet.ts";

type Place = Pick<Sheet, "table" | "view">;

function addressOf({ view }: Pick<Sheet, "view">, id: number | null, table?: string): URL {
  const address = new URL(location.href);
  address.search = withRow(address.searchParams, { parameter: view.rowParameter, id, table }).toString();
  // It names a cell.
  address.hash = "";
  return address;
}

/** Returns the link to a row, in the view of the present address. */
export const linkToRow = (sheet: Place, id: number | null): URL =>
  addressOf(sheet, id, sheet.view.rowParameter === ROW_PARAMETER ? undefined : sheet.table);

/** Returns the id of the row; null for none. */
export const rowOfAddress = ({ view }: Pick<Sheet, "view">): number | null =>
  positiveId(new URLSearchParams(location.search).get(view.rowParameter));

/** Notes the row whose panel is open; null for none. */
export function noteOpenRow(sheet: Pick<Sheet, "view">, id: number | null): void {
  if (rowOfAddress(sheet) !== id) history.replaceState(history.state, "", addressOf(sheet, id));
}
