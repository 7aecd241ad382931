/**
 * Inserts the user's own key into the examples of a page, on request. The key is kept in the memory of this page only.
 */
import type { NewLabelledKey } from "../../../../wire/accounts/keys.ts";
import { announce } from "../announce.ts";
import { api } from "../api.ts";
import { copyButton } from "../copy.ts";
import { formDialog } from "../dialog.ts";
import { replaceChildren, h, icon, findOptional } from "../dom.ts";
import { clearFieldErrors, fieldErrorShown, formText, inputField, showFieldError } from "../form-field.ts";
import { t } from "../texts.ts";
import { showKeyInExamples, prepareExamples } from "./examples.ts";

/** The syntax of a key: no characters that are special to a shell or a program. */
const KEY_PATTERN = /^[A-Za-z0-9._-]{8,200}$/;

/** Initializes the examples of the page, and the panel above them. */
export function initKeyPanel(): void {
  prepareExamples();
  const place = findOptional("#key-panel");
  if (place) renderKeyPanel(place, null);
}

interface SelectedKey {
  readonly key: string;
  /** The label of a key created here, which can be copied once. */
  readonly label: string | null;
}

/** Returns its text. */
function renderKeyPanel(container: HTMLElement, selected: SelectedKey | null): string {
  const isSignedIn = container.dataset["signedIn"] !== undefined;
  const pasteButton = actionButton("pencil", t("base.key.paste"), () => void pasteKey(container));
  const createButton = actionButton("plus", t("base.key.create"), () => void createKey(container));
  const text = selected
    ? selected.label === null
      ? t("base.key.inserted")
      : t("base.key.created", { label: selected.label })
    : t("base.key.placeholder");
  const clear = actionButton("x", t("base.key.remove"), () => selectKey(container, null));
  replaceChildren(
    container,
    h(
      "div",
      { class: "key-panel" },
      h("p", {}, text),
      h(
        "div",
        { class: "bar" },
        ...(selected
          ? [selected.label !== null && copyButton(t("base.key.copy"), () => selected.key), clear]
          : [pasteButton, isSignedIn && createButton]),
      ),
    ),
  );
  return text;
}

const actionButton = (name: "pencil" | "plus" | "x", label: string, run: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "plain small", onclick: run }, icon(name), label);

function selectKey(container: HTMLElement, filled: SelectedKey | null): void {
  showKeyInExamples(filled?.key ?? null);
  const text = renderKeyPanel(container, filled);
  announce(text);
  container.querySelector<HTMLElement>("button")?.focus();
}

async function pasteKey(place: HTMLElement): Promise<void> {
  let key = "";
  const isDone = await formDialog({
    title: t("base.key.paste"),
    action: t("base.key.insert"),
    content: [
      inputField(t("base.key.field"), { name: "key", type: "password", required: true, maxlength: 200 }),
      h("p", { class: "hint" }, t("base.key.pasteHint")),
    ],
    submit(data) {
      key = formText(data, "key");
      const form = findOptional("dialog form") ?? document;
      clearFieldErrors(form);
      if (KEY_PATTERN.test(key)) return Promise.resolve();
      showFieldError(form, "key", t("base.key.invalid"));
      return Promise.reject(fieldErrorShown());
    },
  });
  if (isDone) selectKey(place, { key, label: null });
}

async function createKey(place: HTMLElement): Promise<void> {
  let made: NewLabelledKey | undefined;
  const isDone = await formDialog({
    title: t("base.key.create"),
    action: t("base.key.createAction"),
    content: [
      inputField(t("base.key.label"), {
        name: "label",
        required: true,
        maxlength: 100,
        placeholder: t("base.key.labelExample"),
      }),
      h("p", { class: "hint" }, t("base.key.createHint")),
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
