/** Ctrl+K: the search in all documents. */
import { SITE_PREFIX } from "./api.ts";

/** Focuses the search field of the page; where it has none, opens the home page, which has one. */
export function initSearchKey(): void {
  document.addEventListener("keydown", (event) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === "k";
    // Editors of code have keys of their own.
    if (!isShortcut || event.defaultPrevented || document.querySelector("dialog:modal")) return;
    if (document.documentElement.dataset["user"] === undefined) return;
    event.preventDefault();
    const field = [...document.querySelectorAll<HTMLInputElement>("#search, .top-bar .search input")].find((each) =>
      each.checkVisibility(),
    );
    if (field) field.select();
    // Its field gets the focus.
    else location.assign(`${SITE_PREFIX}/#search`);
  });
}
