/** Dates: what the typed text means, and the browser's own field on touch screens. */
import { cellFormatter } from "../../../../../values/cell-formatter.ts";
import { h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { cellValue } from "../columns/columns.ts";
import type { CellEditor, EditorContext } from "./cell-editor.ts";
import { parseText } from "./parse-text.ts";

/** True where fingers are the main input. */
export const isTouch = (): boolean => matchMedia("(pointer: coarse)").matches;

/** A line below the field with the date that its text means, in full. */
export function understoodDate(area: HTMLTextAreaElement, context: EditorContext): HTMLElement {
  const { column } = context;
  const format = new Intl.DateTimeFormat(t.locale, {
    dateStyle: "full",
    timeZone: column.type.base === "Date" ? "UTC" : (column.type.zone ?? context.settings.timezone),
    ...(column.type.base === "DateTime" && { timeStyle: "short" }),
  });
  const element = h("p", { class: "understood", translate: "no", hidden: true });
  const show = () => {
    const value = parseText(area.value, context).shown?.[column.id];
    const isDate = typeof value === "number" && !Number.isNaN(new Date(value * 1000).getTime());
    element.hidden = !isDate;
    element.textContent = isDate ? format.format(value * 1000) : "";
  };
  area.addEventListener("input", show);
  show();
  return element;
}

/** Formats that both the browser's fields and columns read. */
const NATIVE_FORMATS = { dateFormat: "YYYY-MM-DD", timeFormat: "HH:mm" };

/** The browser's field for a date, or a date and time. */
export function nativeDateEditor(context: EditorContext): CellEditor {
  const { column, row, settings } = context;
  const isDay = column.type.base === "Date";
  const input = h("input", { type: isDay ? "date" : "datetime-local", translate: "no", "aria-label": column.name });
  const value = cellValue(row, column.id);
  const format = cellFormatter(column.type, { ...settings, widgetOptions: NATIVE_FORMATS });
  const before = value === null ? "" : format(value).replace(" ", "T");
  input.value = before;
  // Seconds that the field does not show stay, unless the value changes.
  const isUnchanged = () => input.value === before;
  return {
    element: input,
    focus: () => input.focus(),
    value: () =>
      isUnchanged()
        ? { value, warning: null, shown: { [column.id]: value } }
        : parseText(input.value.replace("T", " "), context),
  };
}
