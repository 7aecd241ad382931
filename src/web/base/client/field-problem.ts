/** Validation messages below form fields. */
import { ApiError } from "./api.ts";
import { contentChildren, h, newId, type Content } from "./dom.ts";
import { t } from "./texts.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Shows below a form field what is wrong with it, and focuses the field. */
export function showFieldError(form: ParentNode, name: string, message: Content): void {
  const field = form.querySelector<Field>(`[name="${CSS.escape(name)}"]`);
  if (!field) return;
  const id = newId("field-problem");
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  const after = field.closest("fieldset") ?? field.closest("label") ?? field;
  after.after(h("p", { class: "field-problem", id, role: "alert" }, ...contentChildren(message)));
  field.focus();
}

/** Removes all messages of `markField` from a form. */
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
