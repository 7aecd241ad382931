import { type CellValue, isList } from "../../../../../values/cell.ts";
import { nameElement, type Child } from "../../../../base/client/dom.ts";
import { titleOf } from "../../../../base/table-titles.ts";
import { t } from "../../../../base/client/texts.ts";
import type { DocumentSettings } from "../../../../base/table-data.ts";
import { type Column, listItems, referenceTexts, cellValue } from "../columns/columns.ts";
import { Combobox } from "./combobox.ts";
import type { ComboboxOption } from "./combobox-option.ts";
import type { CellEditor, EditorContext } from "./cell-editor.ts";
import type { UserAction } from "../undo-manager.ts";
import { ReferenceTargets } from "./reference-targets.ts";
import { parseText } from "./parse-text.ts";

/** Editor of references, single or multiple, by display value. */
export function referenceEditor(context: EditorContext): CellEditor {
  const { docId, column, row, typedCount, settings, tables, onDone } = context;
  const { target } = column.type;
  const isMultiple = column.type.base === "RefList";
  // Rows of a summary follow its source.
  const canAdd = tables.some(({ id, sourceRef }) => id === target && sourceRef === 0);
  /** Negative ids are those of rows that are added in the same change. */
  let lastNewId = 0;
  const targets = new ReferenceTargets(docId, column, { settings, hasDetails: isSignedIn() });
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
    addition: (text) =>
      canAdd && canHold(targets.shown, text, settings)
        ? { value: --lastNewId, label: text, addText: () => addText(text, target && titleOf(t, target, tables)) }
        : null,
    onDone,
  });
  /** Adds rows of the referenced table for the new ones among these options. */
  const before = (options: readonly ComboboxOption[]) => {
    const { shown: name } = targets;
    // In the order of typing, whatever the order of the chips.
    const added = options.filter(({ addText: isNew }) => isNew).toSorted((a, b) => Number(b.value) - Number(a.value));
    if (added.length === 0 || target === undefined || name === null) return undefined;
    return (): UserAction[] => added.map(({ value: id, label }) => ["AddRecord", target, id, { [name.id]: label }]);
  };
  /** The display column contains the texts of references; without one they show ids. */
  const shown = (value: unknown, text: unknown): Record<string, unknown> => ({
    [column.id]: value,
    ...(column.displayId !== null && { [column.displayId]: text }),
  });
  return {
    ...box.controls,
    value() {
      const { text } = box;
      const found = targets.findExact(text);
      // The API looks the text up.
      const unresolved = { value: text, warning: null, shown: { [column.id]: text } };
      if (isMultiple) {
        if (text !== "" && !found && targets.isSearching && box.selected.length === 0) return unresolved;
        const isMissing = text !== "" && !found;
        const warning = isMissing ? () => t.rich("table.edit.notInList", { text: nameElement(text) }) : null;
        const isNew = found && box.selected.every((option) => option.value !== found.value);
        const options = isNew ? [...box.selected, found] : box.selected;
        const value: CellValue = options.length > 0 ? ["L", ...options.map((option) => option.value)] : null;
        const texts = ["L", ...options.map(({ label }) => label)];
        return { value, warning, shown: shown(value, texts), before: before(options) };
      }
      const [only] = box.selected;
      if (text === "") return { value: 0, warning: null, shown: shown(0, null) };
      if (only && only.label === text) {
        return { value: only.value, warning: null, shown: shown(only.value, text), before: before([only]) };
      }
      if (found) return { value: found.value, warning: null, shown: shown(found.value, text) };
      if (targets.isSearching) return unresolved;
      return { value: text, warning: () => noMatchText(text, target && titleOf(t, target, tables)) };
    },
  };
}

/** Returns true if new rows can have the text in the column that references show. */
const canHold = (shown: Column | null, text: string, settings: DocumentSettings): boolean =>
  shown !== null &&
  (!shown.isFormula || shown.isEmpty) &&
  ["Text", "Choice", "Any", "Numeric", "Int", "Date", "DateTime"].includes(shown.type.base) &&
  parseText(text, { column: shown, settings }).warning === null;

const addText = (text: string, table: string | undefined): Child[] =>
  table === undefined
    ? t.rich("table.edit.addChoice", { text: nameElement(text) })
    : t.rich("table.edit.addRow", { text: nameElement(text), table: nameElement(table) });

const noMatchText = (text: string, table: string | undefined): Child[] =>
  table === undefined
    ? t.rich("table.edit.noMatchInTable", { text: nameElement(text) })
    : t.rich("table.edit.noMatch", { table: nameElement(table), text: nameElement(text) });

/** People without an account, who came by a link, see of other rows only what references show. */
const isSignedIn = (): boolean => document.documentElement.dataset["user"] !== undefined;
