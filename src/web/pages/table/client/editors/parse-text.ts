import type { CellValue } from "../../../../../values/cell.ts";
import { nameElement, type Child } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { typeName } from "../../../../base/type-names.ts";
import { type Column, isInvalidValue } from "../columns/columns.ts";
import type { EditorContext, EditorValue } from "./cell-editor.ts";

/** Parses a text for a column, and checks whether it fits. */
export function parseText(text: string, { column, settings }: Pick<EditorContext, "column" | "settings">): EditorValue {
  const { type, options } = column;
  if (text.trim() === "" && type.base !== "Text") {
    return { value: emptyValue(column), warning: null, shown: { [column.id]: emptyValue(column) } };
  }
  if (["Text", "Any", "Choice"].includes(type.base)) {
    return { value: text, warning: null, shown: { [column.id]: text } };
  }
  if ((type.base === "Numeric" || type.base === "Int") && text.trim().startsWith("=")) {
    return { value: text, warning: () => [t("table.edit.formula")], isRefused: true };
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
