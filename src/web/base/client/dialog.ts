/** Modal dialogs: forms and confirmations in a `<dialog>`, which keeps the focus inside. */
import { moveMessages } from "./announce.ts";
import { contentChildren, find, h, icon, newId, type Child, type Content } from "./dom.ts";
import { isBusy, returnFocus, setBusy } from "./focus.ts";
import { clearError, showError } from "./problem.ts";
import { t } from "./texts.ts";

export interface DialogOptions {
  readonly title: Content;
  readonly content: readonly Child[];
  /** For tables and editors. */
  readonly wide?: boolean;
  /** Called after the dialog has closed, for whatever reason. */
  readonly onClose?: () => void;
  /** Replaces closing by the close button and Escape. */
  readonly leave?: () => void;
}

export interface OpenDialog {
  readonly element: HTMLDialogElement;
  close(): void;
}

/**
 * Shows a dialog until it is closed: by its close button, by Escape, or by `close`. Returns the focus to its previous
 * element.
 */
export function openDialog({ title, content, wide = false, onClose, leave: onDismiss }: DialogOptions): OpenDialog {
  const previousFocus = document.activeElement;
  const titleId = newId("dialog");
  const close = () => element.close();
  const closeButton = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("base.close"), onclick: onDismiss ?? close },
    icon("x"),
  );
  const element = h(
    "dialog",
    { class: wide ? "wide" : null, "aria-labelledby": titleId },
    h("header", {}, h("h2", { id: titleId }, ...contentChildren(title)), closeButton),
    ...content,
  );
  element.addEventListener("close", () => {
    moveMessages();
    element.remove();
    returnFocus(previousFocus);
    onClose?.();
  });
  if (onDismiss) {
    // Not only `cancel`: browsers allow it to be prevented once, and close the dialog at the second Escape.
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      onDismiss();
    });
    element.addEventListener("cancel", (event) => {
      event.preventDefault();
      onDismiss();
    });
  }
  document.body.append(element);
  element.showModal();
  moveMessages();
  return { element, close };
}

export interface FormDialogOptions {
  readonly title: Content;
  /** Labelled fields, created by `field` and its siblings. */
  readonly content: readonly Child[];
  /** The label of the submit button: a verb. */
  readonly action: Content;
  readonly isDangerous?: boolean;
  readonly wide?: boolean;
  /** The label of the cancel button. */
  readonly cancel?: string;
  /**
   * Performs the action. Errors are shown in the dialog, which stays open with its input. The signal aborts when the
   * dialog is closed meanwhile.
   */
  readonly submit: (form: FormData, signal: AbortSignal) => Promise<void>;
}

/**
 * Shows a form. Resolves to true when it was submitted, to false when it was closed: by Cancel immediately, by the
 * close button and Escape after a confirmation if there is input.
 */
export function formDialog(options: FormDialogOptions): Promise<boolean> {
  const { title, content, action, isDangerous = false, wide = false, submit } = options;
  let isDirty = false;
  const problem = h("div", { class: "problem-place" });
  const button = h("button", { class: isDangerous ? "danger" : null }, ...contentChildren(action));
  const cancel = h(
    "button",
    { type: "button", class: "plain", onclick: () => dialog.close() },
    options.cancel ?? t("base.cancel"),
  );
  const form = h("form", { method: "dialog" }, ...content, problem, h("footer", {}, cancel, button));
  const abort = new AbortController();
  let isDone = false;
  const run = async () => {
    if (isBusy(button)) return;
    setBusy(button, true);
    form.setAttribute("aria-busy", "true");
    clearError(problem);
    try {
      await submit(new FormData(form), abort.signal);
      isDone = true;
      dialog.close();
    } catch (error) {
      showError(problem, error, { retry: () => form.requestSubmit() });
    } finally {
      setBusy(button, false);
      form.removeAttribute("aria-busy");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  form.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement && target.type === "search")) isDirty = true;
  });
  let isConfirming = false;
  const leave = async () => {
    if (isConfirming) return;
    isConfirming = true;
    if (!isDirty || (await confirmDiscard())) dialog.close();
    isConfirming = false;
  };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onClose = () => {
    abort.abort();
    resolve(isDone);
  };
  const dialog = openDialog({ title, content: [form], wide, onClose, leave: () => void leave() });
  (form.querySelector<HTMLElement>("input:not([type=hidden]), select, textarea") ?? cancel).focus();
  form.querySelector<HTMLInputElement>("input[type=text]")?.select();
  return promise;
}

export interface ConfirmOptions {
  readonly title: Content;
  readonly text: Content;
  readonly action: Content;
  readonly isDangerous?: boolean;
  readonly cancel?: string;
  readonly submit: (signal: AbortSignal) => Promise<void>;
}

/** Asks for confirmation and performs the action. Resolves to true when it was performed. */
export const confirmDialog = ({ text, submit, ...rest }: ConfirmOptions): Promise<boolean> =>
  formDialog({ ...rest, content: [h("p", {}, ...contentChildren(text))], submit: (_, signal) => submit(signal) });

/** Asks for confirmation before input is discarded. Resolves to true when it may be. */
export const confirmDiscard = (title = t("base.discard.title"), text = t("base.discard.text")): Promise<boolean> =>
  confirmDialog({
    title,
    text,
    action: t("base.discard.action"),
    cancel: t("base.discard.cancel"),
    isDangerous: true,
    submit: async () => {},
  });

/** Replaces the content of a dialog below its title. A focused button keeps the focus if the new content has it, too. */
export function replaceContent({ element }: OpenDialog, ...content: readonly Child[]): void {
  const header = find("header", element);
  const focused = document.activeElement;
  const hadFocus = element.contains(focused) && !header.contains(focused);
  // The live region and the toasts are in the dialog while it is open.
  for (const child of element.querySelectorAll(":scope > :not(header, #live-region, #toasts)")) child.remove();
  header.after(...h("div", {}, ...content).childNodes);
  if (!hadFocus) return;
  const buttons = [...element.querySelectorAll("button")];
  (buttons.find((each) => each.textContent === focused?.textContent) ?? find("button", header)).focus();
}
