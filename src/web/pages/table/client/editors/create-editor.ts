import type { CellEditor, EditorContext } from "./cell-editor.ts";
import { choiceEditor } from "./choice-editor.ts";
import { linkEditor } from "./link-editor.ts";
import { referenceEditor } from "./reference-editor.ts";
import { textEditor } from "./text-editor.ts";

/** Returns the editor of a column's cells. */
export function createEditor(context: EditorContext): CellEditor {
  switch (context.column.type.base) {
    case "Choice":
    case "ChoiceList":
      return choiceEditor(context);
    case "Ref":
    case "RefList":
      return referenceEditor(context);
    case "Text":
      return context.column.options["widget"] === "HyperLink" ? linkEditor(context) : textEditor(context);
    default:
      return textEditor(context);
  }
}
