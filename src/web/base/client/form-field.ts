/** Fields of forms, and the messages below them. */
import { announce } from "./announce.ts";
import { ApiError } from "./api.ts";
import { contentChildren, h, icon, newId, type Content } from "./dom.ts";
import { t } from "./texts.ts";

/** Creates a labelled field; attributes are those of the input. */
export function inputField(
  label: string,
  attributes: Record<string, string | number | boolean | null>,
): HTMLLabelElement {
  return h("label", {}, label, h("input", { type: "text", autocomplete: "off", ...attributes }));
}

/** Creates a labelled select with the given value selected; `translate: "no"` for options that are data. */
export function selectField(
  label: string,
  attributes: { name: string; value?: string; translate?: "no" },
  options: readonly { readonly value: string; readonly label: string }[],
): HTMLLabelElement {
  const optionElements = options.map(({ value, label: text }) =>
    h("option", { value, selected: value === attributes.value }, text),
  );
  return h(
    "label",
    {},
    label,
    h("select", { name: attributes.name, translate: attributes.translate }, ...optionElements),
  );
}

/** Returns the trimmed value of a form field; empty when the field is missing. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Shows below a form field what is wrong with it, and focuses the field. */
export function showFieldError(form: ParentNode, name: string, message: Content): void {
  const field = form.querySelector<Field>(`[name="${CSS.escape(name)}"]`);
  if (!field) return;
  const id = newId("field-problem");
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  const after = field.closest("fieldset") ?? field.closest("label") ?? field;
  const text = h(
    "p",
    { class: "field-problem", id },
    icon("triangle-alert"),
    h("span", {}, ...contentChildren(message)),
  );
  after.after(text);
  // Focus speaks the description of a field, unless it has the focus already.
  if (document.activeElement === field) announce(text);
  else field.focus();
}

/** Removes all messages of `showFieldError` from a form. */
export function clearFieldErrors(form: ParentNode): void {
  for (const messages of form.querySelectorAll(".field-problem")) messages.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** Thrown when a field already shows the error. */
export const fieldErrorShown = (): ApiError => new ApiError("stopped", t("problem.field"), {});

/** Returns the API's own sentence, in English, which names the field. */
export function apiSentence({ details, parts, message }: ApiError): string {
  const { userError } = details;
  return typeof userError === "string" ? userError : (parts.sentence ?? message);
}
