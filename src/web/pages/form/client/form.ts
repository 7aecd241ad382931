/** Conveniences of a form, which works without them: one answer for two clicks, and how much fits into a field. */
import { announce } from "../../../base/client/announce.ts";
import { h } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { t } from "../../../base/client/texts.ts";
import { formatClosingTime } from "../closing-time.ts";

for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-closing]")) {
  time.textContent = formatClosingTime(t.locale, new Date(time.dateTime));
}

const form = document.querySelector<HTMLFormElement>("form.form");
const button = form?.querySelector<HTMLButtonElement>(".submit > button");

if (form && button) {
  form.addEventListener("submit", (event) => {
    if (isBusy(button)) return event.preventDefault();
    setBusy(button, true);
    announce(t("form.sending"));
  });
  // Back from the next page: the browser shows this one as it was.
  addEventListener("pageshow", () => setBusy(button, false));
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("[maxlength]")) {
    showRemaining(field);
  }
  limitFiles(form, Number(form.dataset["maxBytes"]));
}

/** From this share of the greatest length on, the field says how many characters are left. */
const ALMOST_FULL = 0.8;

function showRemaining(field: HTMLInputElement | HTMLTextAreaElement): void {
  const { maxLength } = field;
  const note = h("p", { class: "hint remaining", hidden: true });
  field.after(note);
  const update = () => {
    const { length } = field.value;
    note.hidden = length < maxLength * ALMOST_FULL;
    note.textContent = t("form.remaining", { count: Math.max(maxLength - length, 0) });
  };
  field.addEventListener("input", () => {
    update();
    if (!note.hidden) announce(note, "remaining");
  });
  update();
}

/** Says before sending that files are too large: the server refuses them only once they have arrived. */
function limitFiles(element: HTMLFormElement, maxBytes: number): void {
  const inputs = [...element.querySelectorAll<HTMLInputElement>('input[type="file"]')];
  const check = () => {
    const sizes = inputs.flatMap(({ files }) => [...(files ?? [])].map(({ size }) => size));
    const isTooLarge = sizes.reduce((sum, size) => sum + size, 0) > maxBytes;
    for (const input of inputs) input.setCustomValidity(isTooLarge && input.files?.length ? t("form.tooLarge") : "");
  };
  for (const input of inputs) input.addEventListener("change", check);
}
