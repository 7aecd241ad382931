/** Brings a part of the page up to date after a change, as the server renders it. */
import { send } from "./api.ts";
import { find } from "./dom.ts";
import { renderTimes } from "./times.ts";

/**
 * Asks for the page again and puts the new part in place of the old one. What is marked `data-keep` and has an id stays
 * as it is; the focus stays on what has it, when it has an id or stands in something that has one.
 * @throws Failure
 */
export async function refreshPart(id: string, signal?: AbortSignal): Promise<void> {
  const address = `${location.pathname}${location.search}`;
  const response = await send(address, { headers: { Accept: "text/html" }, signal, isPage: true });
  // Written by our own server, which shows texts as texts; scripts in it would not run.
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
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

/** How to find again what has the focus; null when it is elsewhere. */
function captureFocus(within: HTMLElement): (() => HTMLElement | null) | null {
  const { activeElement: focused } = document;
  if (!(focused instanceof HTMLElement) || !within.contains(focused)) return null;
  if (focused.id) return () => document.querySelector<HTMLElement>(`#${CSS.escape(focused.id)}`);
  const anchor = focused.closest("[id]");
  if (!anchor) return null;
  const selector = "a, button, input, select, textarea";
  const index = [...anchor.querySelectorAll(selector)].indexOf(focused);
  return () => {
    const again = document.querySelector(`#${CSS.escape(anchor.id)}`);
    return again?.querySelectorAll<HTMLElement>(selector)[index] ?? null;
  };
}
