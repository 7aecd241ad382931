/** The row whose panel is open is part of the address, `?row=12`: a reload, a bookmark or a copied link opens it again. */

const PARAMETER = "row";

/** Returns the present address with the panel of a row, or without one. */
export function addressOfRow(id: number | null): URL {
  const address = new URL(location.href);
  if (id === null) address.searchParams.delete(PARAMETER);
  else address.searchParams.set(PARAMETER, String(id));
  // It names a cell.
  address.hash = "";
  return address;
}

/** Returns the id of the row; null for none. */
export function rowOfAddress(): number | null {
  const id = Number(new URLSearchParams(location.search).get(PARAMETER));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Notes the row whose panel is open; null for none. */
export function noteOpenRow(id: number | null): void {
  if (rowOfAddress() !== id) history.replaceState(history.state, "", addressOfRow(id));
}
