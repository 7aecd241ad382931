/** The list of the home page: kept up to date, and narrowed down to what is searched for. */
import { sentenceOf, wasStopped } from "../base/api.ts";
import { find } from "../base/dom.ts";
import { refreshPart } from "../base/refresh.ts";
import { toast } from "../base/toast.ts";
import { hasWords, searchable } from "../../../lib/search-text.ts";
import { count } from "../../../lib/sizes.ts";

const field = find<HTMLInputElement>("#search");

/** Asks the server for the list again. */
export async function refresh(): Promise<void> {
  await refreshPart("home");
  filter();
}

/** Does something that has no place of its own to tell what went wrong. */
export async function tryTo(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (wasStopped(error)) return;
    toast(sentenceOf(error), { problem: true, action: { label: "Try again", run: () => void tryTo(work) } });
  }
}

const nameOf = (element: HTMLElement): string => searchable(element.dataset["name"] ?? "");

/** Leaves of the list what the search field says; everything when it is empty. */
function filter(): void {
  const search = searchable(field.value);
  let found = 0;
  for (const workspace of document.querySelectorAll<HTMLElement>("#home [data-workspace]")) {
    const isNamed = hasWords(nameOf(workspace), search);
    const rows = [...workspace.querySelectorAll<HTMLElement>("[data-doc]")];
    const shown = rows.filter((row) => isNamed || hasWords(nameOf(row), search));
    for (const row of rows) row.hidden = !shown.includes(row);
    workspace.hidden = search !== "" && !isNamed && shown.length === 0;
    found += shown.length;
  }
  const isSearching = search !== "";
  for (const pinned of document.querySelectorAll<HTMLElement>("#home .pinned")) pinned.hidden = isSearching;
  for (const site of document.querySelectorAll<HTMLElement>("#home [data-site]")) {
    site.hidden = isSearching && site.querySelector("[data-workspace]:not([hidden])") === null;
  }
  const isNothing = isSearching && document.querySelector("#home [data-workspace]:not([hidden])") === null;
  find("#no-match").hidden = !isNothing;
  find("#found").textContent = isSearching ? `${count(found, "document", "documents")} found` : "";
}

/** Searches while it is typed; the address follows, so that going back finds it again. */
export function startSearch(): void {
  const form = field.form;
  field.addEventListener("input", () => {
    filter();
    const query = field.value.trim() && `?q=${encodeURIComponent(field.value.trim())}`;
    history.replaceState(null, "", `${location.pathname}${query}`);
  });
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    // Whoever presses Enter wants the first of what is left.
    if (field.value.trim()) find("#home").querySelector<HTMLElement>("tr:not([hidden]) .name a")?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    field.select();
  });
  field.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || field.value === "") return;
    field.value = "";
    field.dispatchEvent(new Event("input"));
  });
  filter();
}
