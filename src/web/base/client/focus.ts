/** Returns the focus when an element that has it goes: keys pressed with the focus on the body would be lost. */
import { findOptional } from "./dom.ts";

/** Shows that the action of a button runs. Not `disabled`: that would remove the focus from it. */
export function setBusy(button: Element, busy: boolean): void {
  button.setAttribute("aria-busy", String(busy));
  button.setAttribute("aria-disabled", String(busy));
}

/** Whether the action of a button runs: another press is ignored. */
export const isBusy = (button: Element): boolean => button.getAttribute("aria-busy") === "true";

/** Selects what may take the focus, if it is shown and enabled. */
export const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

const canFocus = (element: unknown): element is HTMLElement =>
  element instanceof HTMLElement && element !== document.body && element.isConnected && element.checkVisibility();

/**
 * Focuses the element that had the focus before something opened. If that is gone, focuses what has taken its place in a
 * list that was rendered again, the dialog that is still open, the active cell of the table, or the content of the page.
 */
export function returnFocus(previous: unknown): void {
  for (const each of [previous, replacementOf(previous), openDialogPart()]) {
    if (!canFocus(each)) continue;
    each.focus({ preventScroll: true });
    if (document.activeElement === each) return;
  }
  (
    findOptional(".leaf.active :is(.grid, .cards) [tabindex='0']") ??
    findOptional(":is(.grid, .cards) [tabindex='0']") ??
    findOptional("main")
  )?.focus({ preventScroll: true });
}

/** Returns the first element that can be focused in the uppermost open dialog: everything else is inert. */
function openDialogPart(): HTMLElement | undefined {
  const dialog = [...document.querySelectorAll("dialog[open]:modal")].at(-1);
  const all = dialog?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [];
  return [...all].find((each) => each.tabIndex >= 0 && canFocus(each));
}

/** Returns the entry that an element was in, or itself, as it is now. */
function replacementOf(element: unknown): HTMLElement | null {
  const id = element instanceof HTMLElement && !element.isConnected ? element.closest("[id]")?.id : undefined;
  return id ? findOptional(`#${CSS.escape(id)}`) : null;
}
