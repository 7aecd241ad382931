import { confirmDiscard } from "../base/dialog.ts";
import { find, h, icon, newId, type Child } from "../base/dom.ts";

export interface OpenPanel {
  readonly element: HTMLElement;
  /** Closes it without a question. */
  close(): void;
}

export interface PanelOptions {
  readonly onClose?: () => void;
  /** The question to ask before what was entered is dropped; null where there is nothing to lose. */
  readonly unsaved?: () => string | null;
}

interface Open extends OpenPanel {
  readonly unsaved: () => string | null;
}

let open: Open | undefined;

/**
 * Shows something beside the grid, in place of what was there (see `leavePanel`); on a phone above it. Escape closes it,
 * after a question where something would be lost.
 */
export function openPanel(
  title: string,
  content: readonly Child[],
  { onClose, unsaved = () => null }: PanelOptions = {},
): OpenPanel {
  open?.close();
  const before = document.activeElement;
  const place = find(".data");
  const titleId = newId("panel");
  const close = () => {
    if (open?.element !== element) return;
    element.remove();
    place.classList.remove("with-panel");
    open = undefined;
    onClose?.();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  };
  const leave = () => void leavePanel();
  const cross = h("button", { type: "button", class: "bare", "aria-label": "Close", onclick: leave }, icon("close"));
  const element = h(
    "aside",
    { class: "panel", "aria-labelledby": titleId },
    h("header", {}, h("h2", { id: titleId, tabindex: -1 }, title), cross),
    ...content,
  );
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    // Otherwise the same key closes the question.
    event.preventDefault();
    leave();
  });
  open = { element, close, unsaved };
  place.append(element);
  place.classList.add("with-panel");
  (element.querySelector<HTMLElement>("input, select, textarea") ?? find("h2", element)).focus();
  return open;
}

/** Closes the panel that is open, if any. Answers false when the person wants to keep what is entered there. */
export async function leavePanel(): Promise<boolean> {
  const leaving = open;
  const question = leaving?.unsaved() ?? null;
  if (question !== null && !(await confirmDiscard(question))) return false;
  leaving?.close();
  return true;
}
