/** Toasts: short messages, one at a time, which disappear automatically. Problems stay until they are closed. */
import { announce } from "./announce.ts";
import { contentChildren, h, icon, findOptional, type Content } from "./dom.ts";
import { returnFocus } from "./focus.ts";
import { t } from "./texts.ts";

export interface ToastOptions {
  /** An action, such as Undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly problem?: boolean;
}

const TOAST_MS = 6000;
const TOAST_WITH_ACTION_MS = 12_000;

/**
 * Shows a toast until it times out, is closed or replaced by the next, or its action is used. Returns a function that
 * removes it.
 */
export function showToast(content: Content, { action, problem = false }: ToastOptions = {}): () => void {
  let previousFocus: EventTarget | null = null;
  const close = () => {
    clearTimeout(timer);
    const hadFocus = element.contains(document.activeElement);
    element.remove();
    if (hadFocus) returnFocus(previousFocus);
  };
  const runAction = () => {
    close();
    action?.run();
  };
  const text = h("p", {}, ...contentChildren(content));
  const element = h(
    "div",
    { class: problem ? "toast problem" : "toast" },
    text,
    h(
      "div",
      { class: "actions" },
      action && h("button", { type: "button", class: "plain", onclick: runAction }, action.label),
      h("button", { type: "button", class: "bare", "aria-label": t("base.close"), onclick: close }, icon("x")),
    ),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startTimer = () => {
    clearTimeout(timer);
    if (problem) return;
    timer = setTimeout(close, action ? TOAST_WITH_ACTION_MS : TOAST_MS);
  };
  // The timeout pauses on hover and focus.
  for (const event of ["mouseenter", "focusin"]) element.addEventListener(event, () => clearTimeout(timer));
  element.addEventListener("focusin", ({ relatedTarget }) => {
    if (!element.contains(relatedTarget as Node | null)) previousFocus = relatedTarget;
  });
  for (const event of ["mouseleave", "focusout"]) element.addEventListener(event, startTimer);
  const region = toastRegion();
  // The same problem again, for example after a retry, replaces itself.
  for (const other of region.querySelectorAll(".toast")) {
    const isProblem = other.matches(".problem");
    if (problem ? isProblem && other.querySelector("p")?.textContent === text.textContent : !isProblem) other.remove();
  }
  region.append(element);
  announce(text);
  startTimer();
  return close;
}

function toastRegion(): HTMLElement {
  const found = findOptional("#toasts");
  if (found) return found;
  const made = h("div", { id: "toasts", role: "region", "aria-label": t("base.messages") });
  document.body.append(made);
  return made;
}
