/** The person's own key in the examples of a page, on request: kept in the memory of this page and nowhere else. */
import type { NewLabelledKey } from "../../../wire/profile.ts";
import { api } from "../base/api.ts";
import { copyButton } from "../base/copy.ts";
import { field, formDialog, textIn } from "../base/dialog.ts";
import { fill, h, icon, maybe } from "../base/dom.ts";
import { clearFields, markField, saidAtField } from "../base/field-problem.ts";
import { fillKey, prepareExamples } from "./examples.ts";

/** What a key may look like; nothing that means something to a shell or a program. */
const KEY = /^[A-Za-z0-9._-]{8,200}$/;

/** Prepares the examples of the page, and the panel above them. */
export function showKeyPanel(): void {
  prepareExamples();
  const place = maybe("#key-panel");
  if (place) draw(place, null);
}

interface Filled {
  readonly key: string;
  /** Its label, when it was made here: then it can be copied, once. */
  readonly label: string | null;
}

function draw(place: HTMLElement, filled: Filled | null): void {
  const isSignedIn = place.dataset["signedIn"] !== undefined;
  const paste = action("edit", "Paste a key", () => void pasteKey(place));
  const make = action("add", "Make a key", () => void makeKey(place));
  const text = filled
    ? filled.label === null
      ? "The examples hold your key. It is gone when you leave this page."
      : `The examples hold the new key “${filled.label}”. It is shown on this page alone, and never again: copy it now.`
    : "A key cannot be read back, so the examples name none. You can have one in them while you are on this page; it is kept nowhere.";
  const takeOut = action("close", "Take it out", () => set(place, null));
  fill(
    place,
    h(
      "div",
      { class: "key-panel" },
      h("p", { role: "status" }, text),
      h(
        "div",
        { class: "bar" },
        ...(filled
          ? [filled.label !== null && copyButton("Copy the key", () => filled.key), takeOut]
          : [paste, isSignedIn && make]),
      ),
    ),
  );
}

const action = (name: "edit" | "add" | "close", label: string, run: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "plain small", onclick: run }, icon(name), label);

function set(place: HTMLElement, filled: Filled | null): void {
  fillKey(filled?.key ?? null);
  draw(place, filled);
  place.querySelector<HTMLElement>("button")?.focus();
}

async function pasteKey(place: HTMLElement): Promise<void> {
  let key = "";
  const isDone = await formDialog({
    title: "Paste a key",
    action: "Fill in",
    content: [
      field("Key", { name: "key", type: "password", required: true, maxlength: 200 }),
      h("p", { class: "hint" }, "It goes into the examples on this page, not to the server."),
    ],
    submit(data) {
      key = textIn(data, "key");
      const form = maybe("dialog form") ?? document;
      clearFields(form);
      if (KEY.test(key)) return Promise.resolve();
      markField(form, "key", "This does not look like a key: those are letters and digits.");
      return Promise.reject(saidAtField());
    },
  });
  if (isDone) set(place, { key, label: null });
}

async function makeKey(place: HTMLElement): Promise<void> {
  let made: NewLabelledKey | undefined;
  const isDone = await formDialog({
    title: "Make a key",
    action: "Make it",
    content: [
      field("What it is for", { name: "label", required: true, maxlength: 100, placeholder: "Stock script" }),
      h("p", { class: "hint" }, "It may do what you may. Your other keys stay as they are."),
    ],
    async submit(data, signal) {
      made = await api<NewLabelledKey>("/api/profile/keys", {
        method: "POST",
        body: { label: textIn(data, "label") },
        signal,
      });
    },
  });
  if (isDone && made) set(place, made);
}
