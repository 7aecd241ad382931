/** Fields for how a column looks that every type has: the styles of its cells and its header. */
import { h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { type CellStyle, COLOUR_KEYS, FONT_KEYS, styleKey, type StylePrefix } from "../cells/cell-styles.ts";
import type { Column } from "./columns.ts";
import { styleField } from "./style-field.ts";

export interface AppearanceFields {
  readonly element: HTMLElement;
  /** Options to set; undefined removes one. */
  options(): Record<string, unknown>;
}

export function appearanceFields({ style, headerStyle }: Column): AppearanceFields {
  const cells = styleField(t("table.style.cells"), style);
  const header = styleField(t("table.style.header"), headerStyle);
  return {
    element: h(
      "fieldset",
      { class: "appearance" },
      h("legend", {}, t("table.style.appearance")),
      h("div", {}, h("span", { "aria-hidden": "true" }, t("table.style.cells")), cells.element),
      h("div", {}, h("span", { "aria-hidden": "true" }, t("table.style.header")), header.element),
    ),
    options: () => ({ ...changed(style, cells.value(), ""), ...changed(headerStyle, header.value(), "header") }),
  };
}

/** Values that are not valid, which other programs wrote, stay unless the user sets others. */
function changed(before: CellStyle, now: CellStyle, prefix: StylePrefix): Record<string, unknown> {
  const keys = [...COLOUR_KEYS, ...FONT_KEYS].filter((key) => before[key] !== now[key]);
  return Object.fromEntries(keys.map((key) => [styleKey(prefix, key), now[key]]));
}
