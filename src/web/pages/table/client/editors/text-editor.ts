import type { CellValue } from "../../../../../values/cell.ts";
import { isErrorCell } from "../../../../../values/cell.ts";
import { h, icon, nameElement, type Child } from "../../../../base/client/dom.ts";
import { type Column, isInvalidValue, cellValue } from "../columns/columns.ts";
import { t } from "../../../../base/client/texts.ts";
import { typeName } from "../../../../base/type-names.ts";
import type { CellEditor, EditorContext, EditorValue } from "./cell-editor.ts";

/** Editor of text, numbers and dates. */
export function textEditor(context: EditorContext): CellEditor {
  const { column, row, typedCount } = context;
  const value = cellValue(row, column.id);
  const shown = isErrorCell(value) ? "" : (rawText(value) ?? column.text(row));
  const area = h("textarea", {
    rows: 1,
    translate: "no",
    "aria-label": column.name,
    inputmode: column.type.base === "Int" ? "numeric" : column.type.base === "Numeric" ? "decimal" : null,
    spellcheck: column.type.base === "Text" ? "true" : "false",
  });
  area.value = typedCount ?? shown;
  const resize = () => {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  };
  area.addEventListener("input", resize);
  const isDate = column.type.base === "Date" || column.type.base === "DateTime";
  const element = h("div", { class: "text-editor" }, area, isDate && dateButton(area, context));
  return {
    element,
    focus() {
      area.focus();
      area.setSelectionRange(area.value.length, area.value.length);
      resize();
    },
    value: () => parseText(area.value, context),
  };
}

/** Stored texts, instead of their display values. */
const rawText = (value: CellValue): string | null => (typeof value === "string" ? value : null);

/** Parses a text for a column, and checks whether it fits. */
export function parseText(text: string, { column, settings }: Pick<EditorContext, "column" | "settings">): EditorValue {
  const { type, options } = column;
  if (text.trim() === "" && type.base !== "Text") {
    return { value: emptyValue(column), warning: null, shown: { [column.id]: emptyValue(column) } };
  }
  if (["Text", "Any", "Choice"].includes(type.base)) {
    return { value: text, warning: null, shown: { [column.id]: text } };
  }
  const read = type.convert(type.parse(text, { ...settings, widgetOptions: options }));
  return {
    value: text,
    warning: isInvalidValue(column, read) ? () => invalidTextMessage(text, column) : null,
    shown: { [column.id]: read },
  };
}

const invalidTextMessage = (text: string, { type }: Column): Child[] =>
  t.rich("table.edit.invalid", { text: nameElement(text), type: typeName(t, type.base) });

/** The value of an empty cell. */
export function emptyValue({ type }: Column): CellValue {
  switch (type.base) {
    case "Text":
    case "Choice":
      return "";
    case "Bool":
      return false;
    case "Ref":
      return 0;
    default:
      return null;
  }
}

/** Opens the browser's date picker and inserts the selected day. */
function dateButton(area: HTMLTextAreaElement, { column, row }: EditorContext): HTMLElement {
  const value = cellValue(row, column.id);
  const calendar = h("input", { type: "date", tabindex: -1, "aria-hidden": "true", class: "calendar" });
  if (typeof value === "number") calendar.value = new Date(value * 1000).toISOString().slice(0, 10);
  calendar.addEventListener("change", () => {
    const time = column.type.base === "DateTime" ? (/ .*$/.exec(area.value)?.[0] ?? "") : "";
    if (calendar.value) area.value = `${calendar.value}${time}`;
    area.focus();
  });
  const open = () => calendar.showPicker();
  const button = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("table.edit.calendar"), onclick: open },
    icon("calendar"),
  );
  return h("span", { class: "calendar-place" }, calendar, button);
}
