/** Bottom sheets: phones and touch screens show popovers and the lists of editors at the bottom of the window. */
import { type Child, h } from "./dom.ts";
import { t } from "./texts.ts";

/** As in the style sheet. */
const SHEET = matchMedia("(max-width: 40rem), (pointer: coarse)");
const TOUCH = matchMedia("(pointer: coarse)");

/** Share of the visible height. */
const MAX_SHARE = 0.8;
/** A lower sheet would show too few options. */
const MIN_SHARE = 0.4;

export const showsSheets = (): boolean => SHEET.matches;

export const onSheetsChange = (listener: () => void): (() => void) => {
  SHEET.addEventListener("change", listener);
  return () => SHEET.removeEventListener("change", listener);
};

/** Focuses a field; on touch screens its surface, since the on-screen keyboard would cover the other content. */
export function focusField(field: HTMLElement | null | undefined, surface: HTMLElement): void {
  if (TOUCH.matches) surface.focus();
  else field?.focus();
}

/** The first line of a sheet: its title, and the button that closes it. Hidden elsewhere. */
export const sheetHeader = (title: Child, titleId: string, done: () => void): HTMLElement =>
  h(
    "header",
    { class: "sheet-header" },
    h("h2", { id: titleId }, title),
    h("button", { type: "button", class: "small plain", onclick: done }, t("base.done")),
  );

export interface SheetPlace {
  /** The lower edge of what has to stay visible above the sheet, such as the edited cell; null if nothing has to. */
  readonly visibleTo?: (() => number | null) | undefined;
  /** Called when the sheet has another upper edge. */
  readonly onMove?: ((top: number) => void) | undefined;
  /** Called by the gesture or button that goes back on phones. */
  readonly onBack: () => void;
}

/** Keeps a sheet above the on-screen keyboard. Returns a function that ends it. */
export function placeSheet(element: HTMLElement, { visibleTo, onMove, onBack }: SheetPlace): () => void {
  let reached = 0;
  const place = (): void => {
    if (!SHEET.matches) return;
    const keyboard = keyboardHeight();
    const room = innerHeight - keyboard;
    const below = visibleTo?.() ?? 0;
    const height = Math.max(room * MIN_SHARE, Math.min(room * MAX_SHARE, room - below));
    element.style.setProperty("--sheet-bottom", `${keyboard}px`);
    element.style.setProperty("--sheet-height", `${Math.floor(height)}px`);
    // Fewer options do not move the field above them.
    reached = Math.max(reached, element.offsetHeight);
    element.style.setProperty("--sheet-reached", `${reached}px`);
    onMove?.(element.getBoundingClientRect().top);
  };
  const changes = new AbortController();
  const { signal } = changes;
  for (const type of ["resize", "scroll"]) visualViewport?.addEventListener(type, place, { signal });
  SHEET.addEventListener("change", place, { signal });
  const size = new ResizeObserver(place);
  size.observe(element);
  place();
  const endBack = watchBack(onBack);
  return () => {
    changes.abort();
    size.disconnect();
    endBack();
  };
}

/** The height that an on-screen keyboard covers; that of a page that is zoomed in is unknown. */
function keyboardHeight(): number {
  if (!visualViewport || visualViewport.scale > 1.01) return 0;
  return Math.max(0, Math.round(innerHeight - visualViewport.height - visualViewport.offsetTop));
}

/** The type library does not know it yet; some browsers do not have it. */
declare const CloseWatcher: (new () => EventTarget & { destroy(): void }) | undefined;

function watchBack(onBack: () => void): () => void {
  if (!SHEET.matches || typeof CloseWatcher === "undefined") return () => {};
  const watcher = new CloseWatcher();
  watcher.addEventListener("close", onBack);
  return () => watcher.destroy();
}
