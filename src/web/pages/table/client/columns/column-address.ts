/**
 * Addresses of the panel of a column: the fragment of a page, `#settings=Total`, on a page with several sections
 * `#section=12&settings=Total`.
 */
import { openColumnPanel } from "../on-first-use.ts";
import type { ColumnPanelOptions } from "./column-panel.ts";

const PARAMETER = "settings";

interface AddressedSheet extends Pick<ColumnPanelOptions, "sheet" | "changes"> {
  /** The section that the address has to name; null for the only sheet of a page. */
  readonly section: number | null;
}

/** Opens the panel that the page's address names, now and when it changes. Columns that do not exist are ignored. */
export function followColumnAddress(options: AddressedSheet): void {
  window.addEventListener("hashchange", () => openAddressed(options));
  openAddressed(options);
}

function openAddressed({ sheet, changes, section }: AddressedSheet): void {
  const named = new URLSearchParams(location.hash.slice(1));
  if (named.get("section") !== (section === null ? null : String(section))) return;
  const column = sheet.columns.find(({ id }) => id === named.get(PARAMETER));
  if (!column) return;
  const { hash } = location;
  const onClose = () => {
    // Another address can have been opened meanwhile.
    if (location.hash === hash) history.replaceState(history.state, "", location.pathname + location.search);
  };
  void openColumnPanel(column, { sheet, changes, onClose });
}
