/** Why a field was refused, said below it. */
import { ApiError } from "./api.ts";
import { h, newId } from "./dom.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Says below a field of a form what is wrong with it, and puts the cursor there. */
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

/** Takes back all that `markField` said in a form. */
export function clearFieldErrors(form: ParentNode): void {
  for (const messages of form.querySelectorAll(".field-problem")) messages.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
}

/** What is thrown where a field says already what went wrong. */
export const fieldErrorShown = (): ApiError => new ApiError("stopped", "Look at the field that is marked.", {});

/** What the API has against a request, in as much detail as it gives. */
export function errorDetail(failure: ApiError): string {
  const { userError } = failure.details;
  return typeof userError === "string" ? userError : failure.message;
}
