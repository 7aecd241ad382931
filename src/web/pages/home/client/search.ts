/** The search in the list of the home page. */
import { announce } from "../../../base/client/announce.ts";
import { find } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { onRefresh } from "./refresh-home.ts";
import { containsAllWords, normalizeForSearch } from "../../../../lib/text/search-text.ts";

const nameOf = (element: HTMLElement): string => normalizeForSearch(element.dataset["name"] ?? "");

/** The result of the current search; only changes are announced. */
let announced = "";

/** Shows only the entries that match the search field; all when it is empty. */
function applyFilter(searchField: HTMLInputElement): void {
  const search = normalizeForSearch(searchField.value);
  let found = 0;
  for (const workspace of document.querySelectorAll<HTMLElement>("#home [data-workspace]")) {
    const isNamed = containsAllWords(nameOf(workspace), search);
    const rows = [...workspace.querySelectorAll<HTMLElement>("[data-doc]")];
    const shown = rows.filter((row) => isNamed || containsAllWords(nameOf(row), search));
    for (const row of rows) row.hidden = !shown.includes(row);
    workspace.hidden = search !== "" && !isNamed && shown.length === 0;
    found += shown.length;
  }
  const isSearching = search !== "";
  for (const section of document.querySelectorAll<HTMLElement>("#home .shortcuts")) section.hidden = isSearching;
  for (const site of document.querySelectorAll<HTMLElement>("#home [data-site]")) {
    site.hidden = isSearching && site.querySelector("[data-workspace]:not([hidden])") === null;
  }
  const hasNoResults = isSearching && document.querySelector("#home [data-workspace]:not([hidden])") === null;
  find("#no-match").hidden = !hasNoResults;
  const result = isSearching ? t("home.found", { count: found }) : "";
  if (result !== announced) announce(result, "search");
  announced = result;
}

/** Searches while typing; keeps the URL in sync, so that Back restores the search. */
export function enableSearch(searchField: HTMLInputElement): void {
  const form = searchField.form;
  searchField.addEventListener("input", () => {
    applyFilter(searchField);
    const query = searchField.value.trim() && `?q=${encodeURIComponent(searchField.value.trim())}`;
    history.replaceState(null, "", `${location.pathname}${query}`);
  });
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    // Enter opens the first result.
    if (searchField.value.trim()) find("#home").querySelector<HTMLElement>("tr:not([hidden]) .name a")?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    searchField.select();
  });
  searchField.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || searchField.value === "") return;
    searchField.value = "";
    searchField.dispatchEvent(new Event("input"));
  });
  onRefresh(() => applyFilter(searchField));
  applyFilter(searchField);
}
