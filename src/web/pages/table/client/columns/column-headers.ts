import { replaceChildren, h, icon, newId } from "../../../../base/client/dom.ts";
import type { IconName } from "../../../../base/icons.ts";
import { t } from "../../../../base/client/texts.ts";
import { drawStyle } from "../cells/draw-style.ts";
import { TYPE_NAMES, typeName } from "../../../../base/type-names.ts";
import type { Column } from "./columns.ts";
import type { SortKey } from "../../../../base/view-state.ts";

const TYPE_ICONS: Readonly<Record<string, IconName>> = {
  Text: "type",
  Numeric: "hash",
  Int: "binary",
  Bool: "square-check",
  Date: "calendar",
  DateTime: "calendar-clock",
  Choice: "circle-dot",
  ChoiceList: "list-checks",
  Ref: "arrow-up-right",
  RefList: "waypoints",
  Attachments: "paperclip",
  Any: "asterisk",
};

export const COLUMN_TYPES: readonly { readonly base: string; readonly name: string }[] = Object.entries(TYPE_NAMES).map(
  ([base, key]) => ({ base, name: t(key) }),
);

export interface HeaderOptions {
  readonly sort: SortKey | undefined;
  readonly isFiltered: boolean;
  readonly openMenu: (button: HTMLElement) => void;
}

/** Renders a column header: name, type, sort direction, and menu. */
export function drawHeader(cell: HTMLElement, column: Column, { sort, isFiltered, openMenu }: HeaderOptions): void {
  const name = { column: column.name, type: typeName(t, column.type.base) };
  const isComputed = column.isFormula && !column.isEmpty;
  const tooltip = t(isComputed ? "table.column.tooltipFormula" : "table.column.tooltip", name);
  const { description } = column;
  cell.title = description ? t("table.column.tooltipDescribed", { tooltip, description }) : tooltip;
  const header = t(isComputed ? "table.column.headerFormula" : "table.column.header", name);
  drawStyle(cell, column.headerStyle);
  cell.setAttribute("aria-label", isFiltered ? t("table.column.headerFiltered", { header }) : header);
  const about = description
    ? h("span", { id: newId("about-column"), hidden: true, translate: "no" }, description)
    : null;
  if (about) cell.setAttribute("aria-describedby", about.id);
  else cell.removeAttribute("aria-describedby");
  const mark: IconName | null = sort ? (sort.isDescending ? "arrow-down" : "arrow-up") : null;
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
    icon("chevron-down"),
  );
  replaceChildren(
    cell,
    icon(isComputed ? "square-function" : (TYPE_ICONS[column.type.base] ?? "asterisk")),
    h("span", { class: "name", translate: "no" }, column.name),
    mark && h("span", { class: "mark" }, icon(mark)),
    isFiltered && h("span", { class: "mark" }, icon("list-filter")),
    about && h("span", { class: "mark about" }, icon("info")),
    about,
    button,
  );
}
