import { type CellValue, isList } from "../../../../values/cell.ts";
import { itemsOf, shownItems, valueOf } from "../columns.ts";
import { Combobox, type Option } from "./combobox.ts";
import type { Editor, EditorContext } from "./editor.ts";
import { ReferenceTargets } from "./reference-targets.ts";

/** A record of another table, or several, chosen by what they show. */
export function referenceEditor(context: EditorContext): Editor {
  const { docId, column, row, typed, done } = context;
  const isMultiple = column.type.base === "RefList";
  const targets = new ReferenceTargets(docId, column);
  const value = valueOf(row, column.id);
  const ids = isList(value) ? itemsOf(value).map(Number) : typeof value === "number" && value > 0 ? [value] : [];
  const texts = shownItems(row, column);
  const chosen = ids.map((id, at): Option => ({ value: id, label: texts[at] ?? String(id) }));
  const box = new Combobox({
    label: column.label,
    isMultiple,
    chosen,
    typed,
    find: (text) => targets.find(text),
    done,
  });
  /** The display column has what references show; without one they show ids. */
  const shown = (value: unknown, text: unknown): Record<string, unknown> => ({
    [column.id]: value,
    ...(column.displayId !== null && { [column.displayId]: text }),
  });
  return {
    ...box.controls,
    entered() {
      const { text } = box;
      if (isMultiple) {
        const misfit = text === "" ? null : `Choose “${text}” from the list, or take it away.`;
        const value: CellValue = box.chosen.length > 0 ? ["L", ...box.chosen.map((option) => option.value)] : null;
        return { value, misfit, shown: shown(value, ["L", ...box.chosen.map(({ label }) => label)]) };
      }
      const [only] = box.chosen;
      if (text === "") return { value: 0, misfit: null, shown: shown(0, null) };
      if (only && only.label === text) return { value: only.value, misfit: null, shown: shown(only.value, text) };
      const found = targets.exactly(text);
      return found
        ? { value: found.value, misfit: null, shown: shown(found.value, text) }
        : { value: text, misfit: `No record of ${column.type.target ?? "the table"} shows “${text}”.` };
    },
  };
}
