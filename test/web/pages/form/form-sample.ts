import type { FormField } from "../../../../src/services/forms/forms.ts";
import type { FormParts } from "../../../../src/web/pages/form/layout.ts";

/** Returns a form with a question for each of the given fields, by column id, and a layout of boxes. */
export function formOf(
  fields: Readonly<Record<string, Partial<FormField>>>,
  { layout }: { readonly layout?: object } = {},
): FormParts {
  const entries = Object.entries(fields).map(([colId, field], index): [string, FormField] => [
    String(index + 1),
    { colId, question: colId, description: "", type: "Text", options: {}, refValues: null, ...field },
  ]);
  const boxes = entries.map(([leaf]) => ({ type: "Field", leaf: Number(leaf) }));
  return {
    formFieldsById: Object.fromEntries(entries),
    formLayoutSpec: JSON.stringify(layout ?? { type: "Layout", children: [{ type: "Section", children: boxes }] }),
  };
}
