import { isErrorCell } from "../../../../../values/cell.ts";
import { h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { linkText, parseLink } from "../cells/links.ts";
import { cellValue } from "../columns/columns.ts";
import type { CellEditor, EditorContext } from "./cell-editor.ts";
import { parseText } from "./parse-text.ts";

/** Editor of hyperlinks: their text and their address. */
export function linkEditor(context: EditorContext): CellEditor {
  const { column, row, typedCount } = context;
  const value = cellValue(row, column.id);
  const stored = isErrorCell(value) ? "" : typeof value === "string" ? value : column.text(row);
  const link = parseLink(typedCount ?? stored);
  const input = (label: string, text: string, type: "text" | "url") => {
    // Addresses are checked where they are opened: a form would refuse those without a protocol.
    const field = h("input", { type: "text", value: text, inputmode: type, autocomplete: "off", translate: "no" });
    return { field, element: h("label", { translate: "yes" }, h("span", {}, label), field) };
  };
  const isLabelled = link !== null && link.label !== link.href;
  const text = input(t("table.edit.linkText"), isLabelled ? link.label : link ? "" : (typedCount ?? stored), "text");
  const address = input(t("table.edit.linkAddress"), link?.href ?? "", "url");
  return {
    element: h(
      "div",
      { class: "link-editor", role: "group", translate: "no", "aria-label": column.name },
      text.element,
      address.element,
    ),
    focus() {
      const { field } = text;
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
    },
    value: () => parseText(linkText(text.field.value, address.field.value), context),
    takes({ key, shiftKey, target }) {
      const next = shiftKey ? text.field : address.field;
      if (key !== "Tab" || target === next) return false;
      next.focus();
      next.select();
      return true;
    },
  };
}
