/** What group rows show, and their commands. */
import { announce } from "../../../../base/client/announce.ts";
import { h, icon, nameElement, replaceChildren } from "../../../../base/client/dom.ts";
import { attachGroupKeys } from "../../../../base/client/grid/group-keys.ts";
import type { RowRenderOptions } from "../../../../base/client/grid/row-element.ts";
import type { RowGroup, ShownGroup } from "../../../../base/client/grid/row-geometry.ts";
import { type MenuItem, openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { choicePill } from "../cells/cell-renderers.ts";
import { isNumericColumn } from "../columns/columns.ts";
import { totalText } from "../totals/column-totals.ts";
import { totalName } from "../totals/total-names.ts";
import type { GridSheet } from "../sheet.ts";
import { groupText } from "./group-label.ts";
import type { Group } from "./group-tree.ts";

/** Adds the content, keys and menus of group rows. */
export function attachGroupRows(sheet: GridSheet): void {
  sheet.onDrawGroup = groupDrawer(sheet);
  const problem = h("div", { class: "problem-place" });
  sheet.parts.problem.append(problem);
  sheet.onChange(() => {
    const text = sheet.grouping.problem;
    if (problem.textContent === (text ?? "")) return;
    replaceChildren(problem, text !== null && h("p", { class: "note problem" }, text));
    if (text !== null) announce(problem);
  });
  attachGroupKeys(sheet.grid, {
    geometry: () => sheet.rowPages.geometry,
    toggle: (key) => toggle(sheet, key),
    openMenu(key, button) {
      const group = findGroup(sheet, key);
      if (group) openMenu(button, groupItems(sheet, group));
    },
  });
  sheet.grid.element.addEventListener("contextmenu", (event) => {
    const key = sheet.grid.groupKeyOf(event.target);
    const group = key === undefined ? undefined : findGroup(sheet, key);
    if (!group) return;
    event.preventDefault();
    const anchor = event.target instanceof HTMLElement ? event.target : sheet.grid.element;
    openMenu(anchor, groupItems(sheet, group), { x: event.clientX, y: event.clientY });
  });
}

function findGroup(sheet: GridSheet, key: string): Group | undefined {
  const { geometry } = sheet.grouping;
  return geometry === null || geometry === "pending" ? undefined : geometry.find(key)?.group;
}

/** Folds or unfolds a group, whose row stays in view. */
function toggle(sheet: GridSheet, key: string): void {
  const hadFocus = sheet.grid.groupKeyOf(document.activeElement) === key;
  sheet.grouping.toggle(key);
  const button = sheet.grid.revealGroup(key);
  if (hadFocus) button?.focus({ preventScroll: true });
}

function groupDrawer(sheet: GridSheet) {
  /** Group rows are drawn with every scrolling. */
  const drawn = new WeakMap<HTMLElement, readonly unknown[]>();
  return (cell: HTMLElement, shown: ShownGroup<RowGroup>, look: RowRenderOptions<RecordJson>): void => {
    const before = drawn.get(cell) ?? [];
    const now = [shown.group, shown.isFolded, look.columns, look.columnLayout];
    if (now.every((each, at) => each === before[at])) return;
    drawn.set(cell, now);
    draw(sheet, cell, { shown: shown as ShownGroup<Group>, look });
  };
}

function draw(
  sheet: GridSheet,
  cell: HTMLElement,
  { shown: { group, isFolded }, look }: { shown: ShownGroup<Group>; look: RowRenderOptions<RecordJson> },
): void {
  const text = groupText(group, sheet.data.settings);
  const isPill = group.column.type.base === "Choice" && group.text !== "";
  const content = [
    icon("chevron-down"),
    h("span", { class: "group-column", translate: "no" }, group.column.name),
    " ",
    isPill ? choicePill(group.column, group.text) : h("b", { translate: "no" }, text),
    " ",
    h("span", { class: "group-count" }, t("table.groups.rows", { count: group.rowCount })),
  ];
  const [present] = cell.querySelectorAll<HTMLButtonElement>(".group-toggle");
  // A cell is always that of the same group.
  const fold = () => toggle(sheet, group.key);
  const button = present ?? h("button", { type: "button", class: "bare group-toggle", tabindex: -1, onclick: fold });
  // The button stays while its content changes, or it would lose the focus.
  replaceChildren(button, ...content);
  button.setAttribute("aria-expanded", String(!isFolded));
  if (!present) cell.append(h("span", { class: "group-head" }, button, menuButton(sheet, group, text)));
  for (const each of cell.querySelectorAll(".group-frozen, .group-total")) each.remove();
  const totals = totalElements(sheet, group, look);
  const isFrozen = ({ at }: (typeof totals)[number]): boolean => look.columnLayout.isFrozen(at);
  const frozen = totals.filter(isFrozen).map(({ element }) => element);
  if (frozen.length > 0) cell.prepend(h("span", { class: "group-frozen" }, ...frozen));
  cell.append(...totals.filter((each) => !isFrozen(each)).map(({ element }) => element));
}

function menuButton(sheet: GridSheet, { key }: Group, value: string): HTMLElement {
  const button = h(
    "button",
    {
      type: "button",
      class: "bare group-menu",
      tabindex: -1,
      "aria-haspopup": "menu",
      "aria-label": t("table.groups.menu", { value }),
      onclick() {
        const group = findGroup(sheet, key);
        if (group) openMenu(button, groupItems(sheet, group));
      },
    },
    icon("ellipsis"),
  );
  return button;
}

function totalElements(
  sheet: GridSheet,
  { measures }: Group,
  look: RowRenderOptions<RecordJson>,
): { readonly at: number; readonly element: HTMLElement }[] {
  if (measures === null) return [];
  return sheet.shown.flatMap((column, at) => {
    const total = sheet.totals.totalOf(column);
    if (total === undefined || !Object.hasOwn(measures, column.id)) return [];
    const { settings } = sheet.data;
    const value = totalText(total, measures[column.id], { column, settings, formatCount: t.number });
    const element = h(
      "span",
      { class: isNumericColumn(column) ? "group-total number" : "group-total" },
      h("span", { class: "unseen" }, t("table.totals.label", { column: column.name, total: totalName(total) }), " "),
      h("span", { translate: "no" }, value),
    );
    element.style.left = `${look.headerWidth + look.columnLayout.leftOf(at)}px`;
    element.style.width = `${look.columnLayout.widthOf(at)}px`;
    return [{ at, element }];
  });
}

const FILTERED_TYPES = new Set(["Text", "Choice", "Int", "Numeric", "Bool", "Ref"]);

function groupItems(sheet: GridSheet, group: Group): MenuItem[] {
  const { grouping, view } = sheet;
  const { column, value } = group;
  const canFilter = group.by === null && value !== null && FILTERED_TYPES.has(column.type.base);
  const filter = () => view.update({ filter: { ...view.state.filter, [column.id]: [value] } });
  return [
    { label: t("table.groups.collapseAll"), run: () => grouping.foldAll(true) },
    { label: t("table.groups.expandAll"), run: () => grouping.foldAll(false) },
    ...(canFilter ? [{ label: t("table.groups.filter"), icon: "list-filter" as const, run: filter }] : []),
    {
      label: t.rich("table.groups.remove", { column: nameElement(column.name) }),
      icon: "x",
      run: () => view.update({ groups: view.state.groups.filter(({ columnId }) => columnId !== column.id) }),
    },
  ];
}
