/** A field for a formula: a text area, whose editor is loaded when the field is shown. */
import { CodeField } from "../../../../base/client/code-editor/code-field.ts";
import { h } from "../../../../base/client/dom.ts";
import type { FormulaContext } from "./formula-context.ts";

export interface FormulaCodeField {
  readonly field: CodeField;
  /** Problems, the result in the active row, and the parameters of functions, as the editor finds them. */
  readonly help: HTMLElement;
}

export function formulaCodeField(area: HTMLTextAreaElement, context: FormulaContext): FormulaCodeField {
  const help = h("div", { class: "formula-live" });
  const load = async () => {
    const { createFormulaEditor } = await import("./formula-editor.ts");
    return (plain: HTMLTextAreaElement) => createFormulaEditor(plain, { ...context, help });
  };
  return { field: new CodeField(area, { load }), help };
}
