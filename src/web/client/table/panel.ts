import { find, h, icon, newId, type Child } from "../base/dom.ts";

export interface OpenPanel {
  readonly element: HTMLElement;
  close(): void;
}

let open: OpenPanel | undefined;

/** Shows something beside the grid, in place of what was there; on a phone above it. Escape closes it. */
export function openPanel(title: string, content: readonly Child[], onClose?: () => void): OpenPanel {
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
  const cross = h("button", { type: "button", class: "bare", "aria-label": "Close", onclick: close }, icon("close"));
  const element = h(
    "aside",
    { class: "panel", "aria-labelledby": titleId },
    h("header", {}, h("h2", { id: titleId, tabindex: -1 }, title), cross),
    ...content,
  );
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  open = { element, close };
  place.append(element);
  place.classList.add("with-panel");
  (element.querySelector<HTMLElement>("input, select, textarea") ?? find("h2", element)).focus();
  return open;
}
