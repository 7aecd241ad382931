/** Popovers: surfaces at a control, which do not block the page. Escape and a click outside close them. */
import { onSheetsChange, placeSheet, sheetHeader, type SheetPlace, showsSheets } from "./bottom-sheet.ts";
import { h, newId, type Attributes, type Child } from "./dom.ts";
import { FOCUSABLE, returnFocus } from "./focus.ts";

const WINDOW_MARGIN_PX = 8;
const GAP_PX = 4;

export interface PopoverOptions {
  /** Attributes of the surface: its role and name. */
  readonly attributes: Attributes;
  readonly content: readonly Child[];
  /** The title of a sheet, and its name; by default the name among the attributes. */
  readonly title?: Child;
  /** A point of the window, instead of the control. */
  readonly at?: { readonly x: number; readonly y: number } | undefined;
  /** Called once, after it has closed. */
  readonly onClose?: () => void;
  /** Replaces closing: by "Done" of a sheet, by Escape or Back, or by a press on another element. */
  readonly leave?: ((how: "done" | "back" | "outside", target: Node | null) => void) | undefined;
  /** What stays visible beside a sheet. */
  readonly beside?: Omit<SheetPlace, "onBack"> | undefined;
}

export interface OpenPopover {
  readonly element: HTMLElement;
  /** Closes it; the focus returns to the control unless `focus` is false. Idempotent. */
  close(focus?: boolean): void;
}

/** Opens a popover at a control, which shows by `aria-expanded` that it is open. The caller sets the focus. */
export function openPopover(control: HTMLElement, options: PopoverOptions): OpenPopover {
  const { attributes, content, at, onClose } = options;
  // The table opens menus at its cells: it cannot be expanded itself.
  const isButton = control.matches("button, [role=button], summary, input");
  const close = (focus = true) => {
    if (!element.isConnected) return;
    const hadFocus = element.contains(document.activeElement);
    element.remove();
    if (isButton) control.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", closeOnOutsideClick, true);
    window.removeEventListener("scroll", closeOnScroll, true);
    endSheetsChange();
    endSheet();
    if (focus || hadFocus) returnFocus(control);
    onClose?.();
  };
  const leave = options.leave ?? ((how) => close(how !== "outside"));
  const closeOnOutsideClick = (event: Event) => {
    const target = event.target as Node;
    if (!element.contains(target)) leave("outside", target);
  };
  const { top, left } = control.getBoundingClientRect();
  // A sheet stays where it is. Scroll events arrive late: scrolling that ended before the popover opened is ignored.
  const closeOnScroll = () => {
    const now = control.getBoundingClientRect();
    if (!showsSheets() && Math.abs(now.top - top) + Math.abs(now.left - left) > 1) close(false);
  };
  const moveWithWindow = () => {
    for (const side of ["left", "top"]) element.style.removeProperty(side);
    place(element, at ?? control.getBoundingClientRect());
  };
  const { role, "aria-label": label } = attributes;
  const titleId = newId("sheet-title");
  const title = options.title ?? String(label);
  const header = role === "dialog" && sheetHeader(title, titleId, () => leave("done", null));
  const name = options.title && { "aria-labelledby": titleId };
  const element = h("div", { id: newId("popover"), tabindex: -1, ...attributes, ...name }, header, ...content);
  element.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && !event.defaultPrevented && leavesByTab(element, event)) {
      // From the control, Tab leads on to what follows it; backwards, the control itself is next.
      event.stopPropagation();
      if (event.shiftKey) event.preventDefault();
      close();
    }
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    leave("back", null);
  });
  // An element outside of an open modal dialog would be inert; outside of all landmarks it would fail accessibility
  // checks; outside of the popover that it belongs to, a click on it would close that one.
  (control.closest("dialog, main, .popover, .sidebar:popover-open") ?? document.body).append(element);
  if (isButton) control.setAttribute("aria-expanded", "true");
  place(element, at ?? control.getBoundingClientRect());
  document.addEventListener("pointerdown", closeOnOutsideClick, true);
  window.addEventListener("scroll", closeOnScroll, true);
  const endSheetsChange = onSheetsChange(moveWithWindow);
  const endSheet = placeSheet(element, { ...options.beside, onBack: () => leave("back", null) });
  return { element, close };
}

/** Whether Tab leads out of a popover: it is at its end, or with Shift at its beginning. */
function leavesByTab(element: HTMLElement, { shiftKey }: KeyboardEvent): boolean {
  const all = element.querySelectorAll<HTMLElement>(FOCUSABLE);
  const stops = [...all].filter((each) => each.tabIndex >= 0 && !each.matches(":disabled") && each.checkVisibility());
  const { activeElement: now } = document;
  return now === element || now === (shiftKey ? stops[0] : stops.at(-1));
}

/** Below its anchor, or above where there is more room; always inside the window. */
function place(element: HTMLElement, anchor: DOMRect | { readonly x: number; readonly y: number }): void {
  if (showsSheets()) return;
  const box = anchor instanceof DOMRect ? anchor : new DOMRect(anchor.x, anchor.y, 0, 0);
  const { offsetWidth: width, offsetHeight: height } = element;
  const { innerWidth, innerHeight } = window;
  const left = box.left + width > innerWidth - WINDOW_MARGIN_PX ? box.right - width : box.left;
  const isBelow = box.bottom + height + WINDOW_MARGIN_PX <= innerHeight || box.top < height;
  const below = Math.min(box.bottom + GAP_PX, innerHeight - height - WINDOW_MARGIN_PX);
  element.style.left = `${Math.max(WINDOW_MARGIN_PX, left)}px`;
  element.style.top = `${Math.max(WINDOW_MARGIN_PX, isBelow ? below : box.top - height - GAP_PX)}px`;
}
