import type { FormDefinition, FormFieldDefinition } from "../../../../src/web/pages/form/definition.ts";

/** Returns a form with a question for each of the given fields, by column id, and a layout of boxes. */
export function formOf(
  fields: Readonly<Record<string, Partial<FormFieldDefinition>>>,
  { layout }: { readonly layout?: object } = {},
): FormDefinition {
  const entries = Object.entries(fields).map(([colId, field], index): [string, FormFieldDefinition] => [
    String(index + 1),
    { colId, question: colId, description: "", type: "Text", options: {}, refValues: null, ...field },
  ]);
  const boxes = entries.map(([leaf]) => ({ type: "Field", leaf: Number(leaf) }));
  return {
    formFieldsById: Object.fromEntries(entries),
    formLayoutSpec: JSON.stringify(layout ?? { type: "Layout", children: [{ type: "Section", children: boxes }] }),
    formTableId: "Secret_table",
    formTitle: "Secret title",
  };
}
