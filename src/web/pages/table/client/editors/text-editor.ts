import type { CellValue } from "../../../../../values/cell.ts";
import { isErrorCell } from "../../../../../values/cell.ts";
import { h, icon } from "../../../../base/client/dom.ts";
import { cellValue } from "../columns/columns.ts";
import { parseText } from "./parse-text.ts";
import { t } from "../../../../base/client/texts.ts";
import { isTouch, nativeDateEditor, understoodDate } from "./date-editor.ts";
import type { CellEditor, EditorContext } from "./cell-editor.ts";

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
  if (isDate && isTouch() && typedCount === null && (value === null || typeof value === "number")) {
    return nativeDateEditor(context);
  }
  const field = h("div", { class: "text-editor" }, area, isDate && dateButton(area, context));
  return {
    element: isDate ? h("div", {}, field, understoodDate(area, context)) : field,
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

/** Opens the browser's date picker and inserts the selected day. */
function dateButton(area: HTMLTextAreaElement, { column, row }: EditorContext): HTMLElement {
  const value = cellValue(row, column.id);
  const calendar = h("input", { type: "date", tabindex: -1, "aria-hidden": "true", class: "calendar" });
  if (typeof value === "number") calendar.value = new Date(value * 1000).toISOString().slice(0, 10);
  calendar.addEventListener("change", () => {
    const time = column.type.base === "DateTime" ? (/ .*$/.exec(area.value)?.[0] ?? "") : "";
    if (calendar.value) area.value = `${calendar.value}${time}`;
    area.dispatchEvent(new Event("input", { bubbles: true }));
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
