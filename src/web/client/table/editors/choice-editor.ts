import { type CellValue, isList } from "../../../../values/cell.ts";
import { pill } from "../cells.ts";
import { itemsOf, valueOf } from "../columns.ts";
import { Combobox, type Option } from "./combobox.ts";
import type { Editor, EditorContext } from "./editor.ts";

/** One of the choices of a column, or several. */
export function choiceEditor(context: EditorContext): Editor {
  const { column, row, typed, done } = context;
  const isMultiple = column.type.base === "ChoiceList";
  const option = (choice: string): Option => ({ value: choice, label: choice, show: () => pill(column, choice) });
  const value = valueOf(row, column.id);
  const now = isList(value) ? itemsOf(value).map(String) : typeof value === "string" && value !== "" ? [value] : [];
  const box = new Combobox({
    label: column.name,
    isMultiple,
    chosen: now.map(option),
    typed,
    find: (text) =>
      column.choices.filter((choice) => choice.toLowerCase().includes(text.trim().toLowerCase())).map(option),
    done,
  });
  return {
    ...box.controls,
    entered() {
      // What is typed and is none of the choices counts too: it is shown as such.
      const misfit = unlisted(box.text, column.choices);
      if (!isMultiple) return { value: box.text, misfit, shown: { [column.id]: box.text } };
      const texts = [...box.chosen.map(({ label }) => label), ...(box.text === "" ? [] : [box.text])];
      const value: CellValue = texts.length > 0 ? ["L", ...texts] : null;
      return { value, misfit, shown: { [column.id]: value } };
    },
  };
}

const unlisted = (text: string, choices: readonly string[]): string | null =>
  text === "" || choices.includes(text) ? null : `“${text}” is none of the choices of this column.`;
