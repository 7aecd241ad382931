import { type CellValue, isList } from "../../../../../values/cell.ts";
import { listItems, referenceTexts, cellValue } from "../columns/columns.ts";
import { Combobox, type ComboboxOption } from "./combobox.ts";
import type { CellEditor, EditorContext } from "./cell-editor.ts";
import { ReferenceTargets } from "./reference-targets.ts";

/** Editor of references, single or multiple, by display value. */
export function referenceEditor(context: EditorContext): CellEditor {
  const { docId, column, row, typedCount, onDone } = context;
  const isMultiple = column.type.base === "RefList";
  const targets = new ReferenceTargets(docId, column);
  const value = cellValue(row, column.id);
  const ids = isList(value) ? listItems(value).map(Number) : typeof value === "number" && value > 0 ? [value] : [];
  const texts = referenceTexts(row, column);
  const selected = ids.map((id, at): ComboboxOption => ({ value: id, label: texts[at] ?? String(id) }));
  const box = new Combobox({
    label: column.label,
    isMultiple,
    selected,
    initialText: typedCount,
    search: (text) => targets.search(text),
    onDone,
  });
  /** The display column contains the texts of references; without one they show ids. */
  const shown = (value: unknown, text: unknown): Record<string, unknown> => ({
    [column.id]: value,
    ...(column.displayId !== null && { [column.displayId]: text }),
  });
  return {
    ...box.controls,
    value() {
      const { text } = box;
      if (isMultiple) {
        const warning = text === "" ? null : `Select “${text}” from the list, or remove it.`;
        const value: CellValue = box.selected.length > 0 ? ["L", ...box.selected.map((option) => option.value)] : null;
        return { value, warning, shown: shown(value, ["L", ...box.selected.map(({ label }) => label)]) };
      }
      const [only] = box.selected;
      if (text === "") return { value: 0, warning: null, shown: shown(0, null) };
      if (only && only.label === text) return { value: only.value, warning: null, shown: shown(only.value, text) };
      const found = targets.findExact(text);
      return found
        ? { value: found.value, warning: null, shown: shown(found.value, text) }
        : { value: text, warning: `No record of ${column.type.target ?? "the table"} matches “${text}”.` };
    },
  };
}
