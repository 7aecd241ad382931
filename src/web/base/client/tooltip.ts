/**
 * Tooltips: the accessible name of controls that show only an icon, and why a control is disabled. They repeat what
 * screen readers know already, so they are hidden from them.
 */
import { h } from "./dom.ts";

const HOVER_MS = 600;
const GAP_PX = 6;
const WINDOW_MARGIN_PX = 8;

let shown:
  | { readonly element: HTMLElement; readonly control: Element; readonly top: number; readonly left: number }
  | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows tooltips on the page: after a moment under the pointer, immediately on focus by the keyboard; Escape hides. */
export function initTooltips(): void {
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse") return;
    const control = controlOf(target);
    if (control && control === shown?.control) return;
    hide();
    if (control) timer = setTimeout(() => show(control), HOVER_MS);
  });
  document.addEventListener("focusin", ({ target }) => {
    hide();
    const control = controlOf(target);
    if (control?.matches(":focus-visible")) show(control);
  });
  for (const event of ["focusout", "pointerdown"]) document.addEventListener(event, hide, true);
  document.addEventListener("scroll", hideIfMoved, true);
  // Escape closes a dialog or a menu, too: it is not taken from them.
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide(), true);
}

function controlOf(target: EventTarget | null): HTMLElement | null {
  const control = target instanceof Element ? target.closest<HTMLElement>("button, a[href], summary") : null;
  return control && tooltipOf(control) !== "" ? control : null;
}

/** Returns why a control is disabled, else the name of a control without a text. */
function tooltipOf(control: HTMLElement): string {
  if (control.getAttribute("aria-disabled") === "true") {
    // oxlint-disable-next-line unicorn/prefer-query-selector
    const reason = document.getElementById(control.getAttribute("aria-describedby") ?? "");
    if (reason?.textContent) return reason.textContent;
  }
  // Not `textContent`: on narrow windows a text can be hidden.
  return control.innerText.trim() === "" ? (control.getAttribute("aria-label") ?? "") : "";
}

function show(control: HTMLElement): void {
  hide();
  if (!control.isConnected) return;
  // The browser's own tooltip would say the same.
  if (control.title === control.getAttribute("aria-label")) control.removeAttribute("title");
  const element = h("div", { class: "tooltip", popover: "manual", "aria-hidden": "true" }, tooltipOf(control));
  (control.closest("dialog") ?? document.body).append(element);
  element.showPopover();
  const box = control.getBoundingClientRect();
  shown = { element, control, top: box.top, left: box.left };
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = box.left + (box.width - width) / 2;
  const below = box.bottom + GAP_PX;
  const isBelow = below + height + WINDOW_MARGIN_PX <= innerHeight;
  element.style.left = `${Math.max(WINDOW_MARGIN_PX, Math.min(left, innerWidth - width - WINDOW_MARGIN_PX))}px`;
  element.style.top = `${isBelow ? below : box.top - height - GAP_PX}px`;
}

/** Scroll events arrive late: the one of the focus itself has moved the control before. */
function hideIfMoved(): void {
  if (!shown) return;
  const { top, left } = shown.control.getBoundingClientRect();
  if (Math.abs(top - shown.top) + Math.abs(left - shown.left) > 1) hide();
}

function hide(): void {
  clearTimeout(timer);
  shown?.element.remove();
  shown = undefined;
}
