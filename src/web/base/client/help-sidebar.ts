/** The sidebar of the help and of the API reference. */
import { findOptional } from "./dom.ts";
import { initHelpSearch } from "./help-search.ts";

/** Initializes the sidebar, and other lists that are folded on narrow windows. */
export function initHelpSidebar(): void {
  for (const list of document.querySelectorAll<HTMLDetailsElement>("details[data-open-from]")) openWhenWide(list);
  const current = findOptional(".help-chapters [aria-current]");
  // For browsers without `scroll-initial-target`.
  if (current?.checkVisibility()) current.scrollIntoView({ block: "nearest" });
  initHelpSearch();
}

/** Styles show the list on wide windows; this also tells assistive technology that it is open. */
function openWhenWide(list: HTMLDetailsElement): void {
  const isWide = matchMedia(`(min-width: ${list.dataset["openFrom"]})`);
  list.open = isWide.matches;
  isWide.addEventListener("change", () => {
    list.open = isWide.matches;
  });
}
