import type { CellValue } from "../../../../values/cell.ts";
import { isErrorCell } from "../../../../values/cell.ts";
import { h, icon } from "../../base/dom.ts";
import { type Column, isStray, valueOf } from "../columns.ts";
import { typeName } from "../../../type-names.ts";
import type { Editor, EditorContext, Entered } from "./editor.ts";

/** Texts of one or more lines, and numbers and dates as people write them. */
export function textEditor(context: EditorContext): Editor {
  const { column, row, typed } = context;
  const value = valueOf(row, column.id);
  const shown = isErrorCell(value) ? "" : (plainText(value) ?? column.text(row));
  const area = h("textarea", {
    rows: 1,
    "aria-label": column.name,
    inputmode: column.type.base === "Int" ? "numeric" : column.type.base === "Numeric" ? "decimal" : null,
    spellcheck: column.type.base === "Text" ? "true" : "false",
  });
  area.value = typed ?? shown;
  const fit = () => {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  };
  area.addEventListener("input", fit);
  const isDate = column.type.base === "Date" || column.type.base === "DateTime";
  const element = h("div", { class: "text-editor" }, area, isDate && dateButton(area, context));
  return {
    element,
    focus() {
      area.focus();
      area.setSelectionRange(area.value.length, area.value.length);
      fit();
    },
    entered: () => readText(area.value, context),
  };
}

/** Texts as they are, rather than as they are shown. */
const plainText = (value: CellValue): string | null => (typeof value === "string" ? value : null);

/** What a text means in a column, and whether it fits there. */
export function readText(text: string, { column, settings }: Pick<EditorContext, "column" | "settings">): Entered {
  const { type, options } = column;
  if (text.trim() === "" && type.base !== "Text") {
    return { value: emptyOf(column), misfit: null, shown: { [column.id]: emptyOf(column) } };
  }
  if (["Text", "Any", "Choice"].includes(type.base)) {
    return { value: text, misfit: null, shown: { [column.id]: text } };
  }
  const read = type.convert(type.parse(text, { ...settings, widgetOptions: options }));
  return { value: text, misfit: isStray(column, read) ? misfitText(text, column) : null, shown: { [column.id]: read } };
}

const misfitText = (text: string, { type }: Column): string =>
  `“${text}” does not fit here: ${EXPECTED[type.base] ?? `this column is of the type ${typeName(type.base).toLowerCase()}`}.`;

const EXPECTED: Readonly<Record<string, string>> = {
  Int: "this is a column of whole numbers",
  Numeric: "this is a column of numbers",
  Date: "this is a column of dates",
  DateTime: "this is a column of dates and times",
  Bool: "this is a column of yes and no",
};

/** What an empty cell holds. */
export function emptyOf({ type }: Column): CellValue {
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

/** Opens the browser's own calendar; the day it gives is put into the text. */
function dateButton(area: HTMLTextAreaElement, { column, row }: EditorContext): HTMLElement {
  const value = valueOf(row, column.id);
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
    { type: "button", class: "bare", "aria-label": "Calendar", onclick: open },
    icon("calendar"),
  );
  return h("span", { class: "calendar-place" }, calendar, button);
}
