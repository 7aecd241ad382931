/** The person's own key in the examples of a page, on request: kept in the memory of this page and nowhere else. */
import type { NewLabelledKey } from "../../../../wire/accounts/profile.ts";
import { api } from "../api.ts";
import { copyButton } from "../copy.ts";
import { inputField, formDialog, formText } from "../dialog.ts";
import { replaceChildren, h, icon, findOptional } from "../dom.ts";
import { clearFieldErrors, showFieldError, fieldErrorShown } from "../field-problem.ts";
import { showKeyInExamples, prepareExamples } from "./examples.ts";

/** What a key may look like; nothing that means something to a shell or a program. */
const KEY_PATTERN = /^[A-Za-z0-9._-]{8,200}$/;

/** Prepares the examples of the page, and the panel above them. */
export function initKeyPanel(): void {
  prepareExamples();
  const place = findOptional("#key-panel");
  if (place) renderKeyPanel(place, null);
}

interface SelectedKey {
  readonly key: string;
  /** Its label, when it was made here: then it can be copied, once. */
  readonly label: string | null;
}

function renderKeyPanel(container: HTMLElement, selected: SelectedKey | null): void {
  const isSignedIn = container.dataset["signedIn"] !== undefined;
  const pasteButton = actionButton("edit", "Paste a key", () => void pasteKey(container));
  const createButton = actionButton("add", "Make a key", () => void createKey(container));
  const text = selected
    ? selected.label === null
      ? "The examples hold your key. It is gone when you leave this page."
      : `The examples hold the new key “${selected.label}”. It is shown on this page alone, and never again: copy it now.`
    : "A key cannot be read back, so the examples name none. You can have one in them while you are on this page; it is kept nowhere.";
  const clear = actionButton("close", "Take it out", () => selectKey(container, null));
  replaceChildren(
    container,
    h(
      "div",
      { class: "key-panel" },
      h("p", { role: "status" }, text),
      h(
        "div",
        { class: "bar" },
        ...(selected
          ? [selected.label !== null && copyButton("Copy the key", () => selected.key), clear]
          : [pasteButton, isSignedIn && createButton]),
      ),
    ),
  );
}

const actionButton = (name: "edit" | "add" | "close", label: string, run: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "plain small", onclick: run }, icon(name), label);

function selectKey(container: HTMLElement, filled: SelectedKey | null): void {
  showKeyInExamples(filled?.key ?? null);
  renderKeyPanel(container, filled);
  container.querySelector<HTMLElement>("button")?.focus();
}

async function pasteKey(place: HTMLElement): Promise<void> {
  let key = "";
  const isDone = await formDialog({
    title: "Paste a key",
    action: "Fill in",
    content: [
      inputField("Key", { name: "key", type: "password", required: true, maxlength: 200 }),
      h("p", { class: "hint" }, "It goes into the examples on this page, not to the server."),
    ],
    submit(data) {
      key = formText(data, "key");
      const form = findOptional("dialog form") ?? document;
      clearFieldErrors(form);
      if (KEY_PATTERN.test(key)) return Promise.resolve();
      showFieldError(form, "key", "This does not look like a key: those are letters and digits.");
      return Promise.reject(fieldErrorShown());
    },
  });
  if (isDone) selectKey(place, { key, label: null });
}

async function createKey(place: HTMLElement): Promise<void> {
  let made: NewLabelledKey | undefined;
  const isDone = await formDialog({
    title: "Make a key",
    action: "Make it",
    content: [
      inputField("What it is for", { name: "label", required: true, maxlength: 100, placeholder: "Stock script" }),
      h("p", { class: "hint" }, "It may do what you may. Your other keys stay as they are."),
    ],
    async submit(data, signal) {
      made = await api<NewLabelledKey>("/api/profile/keys", {
        method: "POST",
        body: { label: formText(data, "label") },
        signal,
      });
    },
  });
  if (isDone && made) selectKey(place, made);
}
