/** The panel beside the content of a page: one object at a time. */
import { confirmDiscard } from "./dialog.ts";
import { contentChildren, find, h, icon, newId, type Child, type Content } from "./dom.ts";
import { returnFocus } from "./focus.ts";
import { t } from "./texts.ts";

export interface SidePanel {
  readonly element: HTMLElement;
  /** Closes it without confirmation. */
  close(): void;
}

export interface SidePanelOptions {
  readonly onClose?: () => void;
  /** The confirmation before input is discarded; null without unsaved input. */
  readonly unsaved?: () => string | null;
  /** Has the focus first; by default the first field, or the heading. */
  readonly focus?: Pick<HTMLElement, "focus"> | undefined;
}

interface ActivePanel extends SidePanel {
  readonly unsaved: () => string | null;
}

let activePanel: ActivePanel | undefined;

let showWidth: (width: number) => void = () => {};

/** Calls the listener with the width at the right edge of the page that the panel covers, whenever it changes. */
export function onPanelWidth(listener: (width: number) => void): void {
  showWidth = listener;
  addEventListener("resize", showCoveredWidth);
}

/** A panel beside the content covers nothing; one that fills the window is left before anything else is used. */
function showCoveredWidth(): void {
  const isOver = activePanel !== undefined && getComputedStyle(activePanel.element).position === "absolute";
  showWidth(isOver ? (activePanel?.element.offsetWidth ?? 0) : 0);
}

/**
 * Shows content beside the grid, replacing the previous panel (see `leavePanel`); on a phone above it. Escape closes
 * it, after a confirmation for unsaved input.
 */
export function openSidePanel(
  title: Content,
  content: readonly Child[],
  { onClose, unsaved = () => null, focus }: SidePanelOptions = {},
): SidePanel {
  activePanel?.close();
  const previousFocus = document.activeElement;
  const container = find("#content");
  const titleId = newId("panel");
  const close = () => {
    if (activePanel?.element !== element) return;
    const hadFocus = element.contains(document.activeElement) || document.activeElement === document.body;
    element.remove();
    container.classList.remove("with-panel");
    activePanel = undefined;
    showCoveredWidth();
    onClose?.();
    if (hadFocus || previousFocus?.isConnected) returnFocus(previousFocus);
  };
  const dismiss = () => void closePanel();
  const closeButton = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("base.close"), onclick: dismiss },
    icon("x"),
  );
  const element = h(
    "aside",
    { class: "panel", "aria-labelledby": titleId },
    h("header", {}, h("h2", { id: titleId, tabindex: -1 }, ...contentChildren(title)), closeButton),
    ...content,
  );
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    // Otherwise the same key press closes the confirmation.
    event.preventDefault();
    dismiss();
  });
  activePanel = { element, close, unsaved };
  container.append(element);
  container.classList.add("with-panel");
  showCoveredWidth();
  const heading: HTMLElement = find("h2", element);
  (focus ?? element.querySelector<HTMLElement>("input, select, textarea") ?? heading).focus();
  return activePanel;
}

/** Closes the open panel, if any. Returns false when the user keeps editing. */
export async function closePanel(): Promise<boolean> {
  const leaving = activePanel;
  const question = leaving?.unsaved() ?? null;
  if (question !== null && !(await confirmDiscard(question))) return false;
  leaving?.close();
  return true;
}
