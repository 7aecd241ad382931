/** Validation messages below form fields. */
import { ApiError } from "./api.ts";
import { h, newId } from "./dom.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Shows below a form field what is wrong with it, and focuses the field. */
export function showFieldError(form: ParentNode, name: string, message: string): void {
  const field = form.querySelector<Field>(`[name="${CSS.escape(name)}"]`);
  if (!field) return;
  const id = newId("field-problem");
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  const after = field.closest("fieldset") ?? field.closest("label") ?? field;
  after.after(h("p", { class: "field-problem", id, role: "alert" }, message));
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
export const fieldErrorShown = (): ApiError => new ApiError("stopped", "Correct the marked field.", {});

/** The most detailed validation message of an API error. */
export function errorDetail(failure: ApiError): string {
  const { userError } = failure.details;
  return typeof userError === "string" ? userError : failure.message;
}
