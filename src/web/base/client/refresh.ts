/** Refreshes a part of the page with the server's rendering. */
import { send } from "./api.ts";
import { find, findOptional } from "./dom.ts";
import { renderTimes } from "./times.ts";

/**
 * Fetches the page and replaces a part of it. Elements with `data-keep` and an id stay; the focus stays on its element
 * when that or an ancestor has an id.
 * @throws Failure
 */
export const refreshPart = (id: string, signal?: AbortSignal): Promise<void> => refreshParts([id], signal);

/** Like `refreshPart`, for several parts of the same version of the page. */
export async function refreshParts(ids: readonly string[], signal?: AbortSignal): Promise<void> {
  const page = await fetchPage(signal);
  for (const id of ids) replacePart(id, page);
}

/** The server's rendering of parts when they were refreshed. */
const renderings = new WeakMap<Element, string>();

/**
 * Like `refreshPart`, but leaves the part as it is when the server renders it as at its last refresh: what the user points
 * at or drags stays. Returns whether it was replaced.
 * @throws Failure
 */
export async function refreshChangedPart(id: string): Promise<boolean> {
  const page = await fetchPage();
  const rendering = partOf(page, id).outerHTML;
  if (renderings.get(partOf(document, id)) === rendering) return false;
  replacePart(id, page);
  renderings.set(partOf(document, id), rendering);
  return true;
}

async function fetchPage(signal?: AbortSignal): Promise<Document> {
  const address = `${location.pathname}${location.search}`;
  const response = await send(address, { headers: { Accept: "text/html" }, signal, isPage: true });
  // Rendered by our own server, which escapes texts; scripts in it would not run.
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

const partOf = (page: Document, id: string): HTMLElement => find(`#${CSS.escape(id)}`, page);

function replacePart(id: string, page: Document): void {
  const current = partOf(document, id);
  const replacement = document.adoptNode(partOf(page, id));
  const focus = captureFocus(current);
  for (const preserved of current.querySelectorAll("[data-keep][id]")) {
    replacement.querySelector(`#${CSS.escape(preserved.id)}`)?.replaceWith(preserved);
  }
  renderTimes(replacement);
  current.replaceWith(replacement);
  focus?.()?.focus({ preventScroll: true });
}

/** Returns a selector of the focused element; null when the focus is outside. */
function captureFocus(within: HTMLElement): (() => HTMLElement | null) | null {
  const { activeElement: focused } = document;
  if (!(focused instanceof HTMLElement) || !within.contains(focused)) return null;
  if (focused.id) return () => document.querySelector<HTMLElement>(`#${CSS.escape(focused.id)}`);
  const anchor = focused.closest("[id]");
  if (!anchor) return null;
  const selector = "a, button, input, select, textarea";
  const index = [...anchor.querySelectorAll(selector)].indexOf(focused);
  return () => {
    const again = [...(findOptional(`#${CSS.escape(anchor.id)}`)?.querySelectorAll<HTMLElement>(selector) ?? [])];
    // After a deletion, the next element; without one the last, or the content of the page.
    return again[index] ?? again.at(-1) ?? findOptional("main");
  };
}
