/** Toasts: short messages in a live region, which disappear automatically. */
import { contentChildren, h, icon, findOptional, type Content } from "./dom.ts";
import { t } from "./texts.ts";

export interface ToastOptions {
  /** An action, such as Undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly problem?: boolean;
}

const TOAST_MS = 6000;
const TOAST_WITH_ACTION_MS = 12_000;

/** Shows a toast until it times out, is closed, or its action is used. Returns a function that removes it. */
export function showToast(content: Content, { action, problem = false }: ToastOptions = {}): () => void {
  const close = () => {
    clearTimeout(timer);
    element.remove();
  };
  const runAction = () => {
    close();
    action?.run();
  };
  const element = h(
    "div",
    { class: problem ? "toast problem" : "toast", role: problem ? "alert" : null },
    h("p", {}, ...contentChildren(content)),
    h(
      "div",
      { class: "actions" },
      action && h("button", { type: "button", class: "plain", onclick: runAction }, action.label),
      h("button", { type: "button", class: "bare", "aria-label": t("base.close"), onclick: close }, icon("close")),
    ),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(close, action ? TOAST_WITH_ACTION_MS : TOAST_MS);
  };
  // The timeout pauses on hover and focus.
  for (const event of ["mouseenter", "focusin"]) element.addEventListener(event, () => clearTimeout(timer));
  for (const event of ["mouseleave", "focusout"]) element.addEventListener(event, startTimer);
  toastRegion().append(element);
  startTimer();
  return close;
}

/** Screen readers announce only changes of an existing live region. */
function toastRegion(): HTMLElement {
  const found = findOptional("#toasts");
  if (found) return found;
  const made = h("div", { id: "toasts", role: "region", "aria-label": t("base.messages"), "aria-live": "polite" });
  document.body.append(made);
  return made;
}
