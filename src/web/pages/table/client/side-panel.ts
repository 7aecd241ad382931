import { confirmDiscard } from "../../../base/client/dialog.ts";
import { contentChildren, find, h, icon, newId, type Child, type Content } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";

export interface SidePanel {
  readonly element: HTMLElement;
  /** Closes it without confirmation. */
  close(): void;
}

export interface SidePanelOptions {
  readonly onClose?: () => void;
  /** The confirmation before input is discarded; null without unsaved input. */
  readonly unsaved?: () => string | null;
}

interface ActivePanel extends SidePanel {
  readonly unsaved: () => string | null;
}

let activePanel: ActivePanel | undefined;

/**
 * Shows content beside the grid, replacing the previous panel (see `leavePanel`); on a phone above it. Escape closes
 * it, after a confirmation for unsaved input.
 */
export function openSidePanel(
  title: Content,
  content: readonly Child[],
  { onClose, unsaved = () => null }: SidePanelOptions = {},
): SidePanel {
  activePanel?.close();
  const previousFocus = document.activeElement;
  const container = find(".data");
  const titleId = newId("panel");
  const close = () => {
    if (activePanel?.element !== element) return;
    element.remove();
    container.classList.remove("with-panel");
    activePanel = undefined;
    onClose?.();
    if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus();
  };
  const dismiss = () => void closePanel();
  const closeButton = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("base.close"), onclick: dismiss },
    icon("close"),
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
  (element.querySelector<HTMLElement>("input, select, textarea") ?? find("h2", element)).focus();
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
