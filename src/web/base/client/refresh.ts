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
  const address = `${location.pathname}${location.search}`;
  const response = await send(address, { headers: { Accept: "text/html" }, signal, isPage: true });
  // Rendered by our own server, which escapes texts; scripts in it would not run.
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const id of ids) replacePart(id, page);
}

function replacePart(id: string, page: Document): void {
  const current = find(`#${CSS.escape(id)}`);
  const replacement = document.adoptNode(find(`#${CSS.escape(id)}`, page));
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
