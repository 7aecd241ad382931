import { replaceChildren, h, icon } from "../../../../base/client/dom.ts";
import type { IconName } from "../../../../base/icons.ts";
import { t } from "../../../../base/client/texts.ts";
import { TYPE_NAMES, typeName } from "../../../../base/type-names.ts";
import type { Column } from "./columns.ts";
import type { SortKey } from "../view-settings.ts";

/** Labels of types and their icons; an empty icon is drawn as SVG, as not every font has the character. */
const TYPE_SYMBOLS: Readonly<Record<string, string>> = {
  Text: "Aa",
  Numeric: "1.5",
  Int: "123",
  Bool: "☑",
  Date: "31",
  DateTime: "31:",
  Choice: "◉",
  ChoiceList: "◉◉",
  Ref: "→",
  RefList: "⇉",
  Attachments: "",
  Any: "∗",
};

export const COLUMN_TYPES: readonly { readonly base: string; readonly name: string; readonly sign: string }[] =
  Object.entries(TYPE_NAMES).map(([base, key]) => ({ base, name: t(key), sign: TYPE_SYMBOLS[base] ?? "" }));

export interface HeaderOptions {
  readonly sort: SortKey | undefined;
  readonly isFiltered: boolean;
  readonly openMenu: (button: HTMLElement) => void;
}

/** Renders a column header: name, type, sort direction, and menu. */
export function drawHeader(cell: HTMLElement, column: Column, { sort, isFiltered, openMenu }: HeaderOptions): void {
  const name = { column: column.name, type: typeName(t, column.type.base) };
  const isComputed = column.isFormula && !column.isEmpty;
  const symbol = COLUMN_TYPES.find(({ base }) => base === column.type.base)?.sign ?? "∗";
  const tooltip = t(isComputed ? "table.column.tooltipFormula" : "table.column.tooltip", name);
  const { description } = column;
  cell.title = description ? t("table.column.tooltipDescribed", { tooltip, description }) : tooltip;
  const header = t(isComputed ? "table.column.headerFormula" : "table.column.header", name);
  cell.setAttribute("aria-label", isFiltered ? t("table.column.headerFiltered", { header }) : header);
  const mark: IconName | null = sort ? (sort.isDescending ? "descending" : "ascending") : null;
  const button = h(
    "button",
    {
      type: "button",
      class: "bare column-menu",
      tabindex: -1,
      "aria-label": t("table.column.menu", { column: column.name }),
      "aria-haspopup": "menu",
      onclick: (event) => {
        event.stopPropagation();
        openMenu(button);
      },
    },
    icon("down"),
  );
  replaceChildren(
    cell,
    h(
      "span",
      { class: isComputed ? "sign formula" : "sign", "aria-hidden": "true", translate: "no" },
      isComputed ? "ƒ" : symbol || icon("document"),
    ),
    h("span", { class: "name", translate: "no" }, column.name),
    mark && h("span", { class: "mark" }, icon(mark)),
    isFiltered && h("span", { class: "mark" }, icon("filter")),
    button,
  );
}
