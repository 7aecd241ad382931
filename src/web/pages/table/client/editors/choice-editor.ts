import { type CellValue, isList } from "../../../../../values/cell.ts";
import { nameElement, type Child } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { choicePill } from "../cells/cell-renderers.ts";
import { listItems, cellValue } from "../columns/columns.ts";
import { addedChoices } from "../columns/added-choices.ts";
import { Combobox } from "./combobox.ts";
import type { ComboboxOption } from "./combobox-option.ts";
import type { CellEditor, EditorContext } from "./cell-editor.ts";
import { rankMatches } from "./text-match.ts";

/** Editor of choices, single or multiple. */
export function choiceEditor(context: EditorContext): CellEditor {
  const { column, row, typedCount, canChangeColumns, onDone } = context;
  const isMultiple = column.type.base === "ChoiceList";
  const option = (choice: string): ComboboxOption => ({
    value: choice,
    label: choice,
    show: () => choicePill(column, choice),
  });
  const value = cellValue(row, column.id);
  const now = isList(value) ? listItems(value).map(String) : typeof value === "string" && value !== "" ? [value] : [];
  const box = new Combobox({
    label: column.name,
    isMultiple,
    selected: now.map(option),
    initialText: typedCount,
    search: (text) => rankMatches(column.choices, (choice) => choice, text).map(option),
    addition: (text) =>
      canChangeColumns && !column.choices.includes(text)
        ? { ...option(text), addText: () => t.rich("table.edit.addChoice", { text: nameElement(text) }) }
        : null,
    onDone,
  });
  /** Adds the new ones among the selected choices to the column. */
  const before = (texts: readonly string[]) => {
    const added = box.selected.filter(({ addText, label }) => addText && texts.includes(label));
    return added.length === 0
      ? undefined
      : (now: typeof column) =>
          addedChoices(
            now,
            added.map(({ label }) => label),
          );
  };
  return {
    ...box.controls,
    value() {
      // Unlisted text is kept, and shown as invalid.
      const added = before(isMultiple ? box.selected.map(({ label }) => label) : [box.text]);
      const warning = added && !isMultiple ? null : unlistedChoiceWarning(box.text, column.choices);
      if (!isMultiple) return { value: box.text, warning, shown: { [column.id]: box.text }, before: added };
      const texts = [...box.selected.map(({ label }) => label), ...(box.text === "" ? [] : [box.text])];
      const value: CellValue = texts.length > 0 ? ["L", ...texts] : null;
      return { value, warning, shown: { [column.id]: value }, before: added };
    },
  };
}

const unlistedChoiceWarning = (text: string, choices: readonly string[]): (() => readonly Child[]) | null =>
  text === "" || choices.includes(text) ? null : () => t.rich("table.edit.notAChoice", { text: nameElement(text) });
