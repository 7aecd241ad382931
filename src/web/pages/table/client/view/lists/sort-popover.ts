/** The sort order: columns with their directions, the first one decides first. */
import { h, icon, replaceChildren } from "../../../../../base/client/dom.ts";
import { openPopover } from "../../../../../base/client/popover.ts";
import { t } from "../../../../../base/client/texts.ts";
import type { SortFlag, SortKey } from "../../../../../base/view-state.ts";
import { hasEffect, offeredFlags, withDirection, withEffect } from "../../../../../base/views/sort-options.ts";
import type { LabelKey } from "../../../../../texts/texts.ts";
import type { Sheet } from "../../sheet.ts";
import { directionText } from "../direction-texts.ts";
import { moved, type OrderedEntry, orderedList } from "./ordered-list.ts";

export function openSortPopover(sheet: Sheet, button: HTMLElement): void {
  const { view } = sheet;
  const list = orderedList({
    label: t("table.sort"),
    move: (from, to) => view.update({ sort: moved(view.sort, from, to) }),
  });
  const none = h("p", { class: "quiet" }, t("table.sort.none"));
  const add = h("select", { class: "add-entry", "aria-label": t("table.sort.add") });
  add.addEventListener("change", () => {
    const columnId = add.value;
    view.update({ sort: [...view.sort, { columnId, isDescending: false }] });
    list.element.querySelector<HTMLElement>(`[data-id="${CSS.escape(columnId)}"] select`)?.focus();
  });
  const clear = h("button", { type: "button", class: "plain small quiet-button" }, t("table.filter.clear"));
  clear.addEventListener("click", () => {
    view.update({ sort: [] });
    add.focus();
  });
  const note = h("p", { class: "quiet" }, t("table.sort.emptyLast"));
  let shown: string | undefined;
  const show = (): void => {
    // Rows change more often, and rendering again would close open lists.
    const key = JSON.stringify([view.sort, sheet.columns.map(({ id, name }) => [id, name])]);
    if (key === shown) return;
    shown = key;
    list.show(view.sort.map((each) => entry(sheet, each)));
    none.hidden = view.sort.length > 0;
    clear.hidden = view.sort.length === 0;
    note.hidden = view.sort.length === 0 || view.sort.some(({ flags }) => flags !== undefined);
    const others = sheet.columns.filter(({ id }) => !view.sortOf(id));
    add.hidden = others.length === 0;
    replaceChildren(
      add,
      h("option", { value: "", selected: true, disabled: true }, t("table.sort.add")),
      ...others.map(({ id, name }) => h("option", { value: id, translate: "no" }, name)),
    );
  };
  const unfollow = sheet.onChange(show);
  show();
  const { element } = openPopover(button, {
    attributes: { class: "popover list-popover", role: "dialog", "aria-label": t("table.sort") },
    content: [none, list.element, h("footer", {}, add, h("span", { class: "grow" }), clear), note],
    onClose: unfollow,
  });
  element.querySelector<HTMLElement>("li select, .add-entry")?.focus();
}

const FLAG_NAMES: Readonly<Record<SortFlag, LabelKey>> = {
  orderByChoice: "table.sort.orderByChoice",
  naturalSort: "table.sort.natural",
  emptyLast: "table.sort.emptyCellsLast",
};

function entry(sheet: Sheet, key: SortKey): OrderedEntry {
  const { view } = sheet;
  const { columnId, isDescending } = key;
  const field = sheet.fields.find(columnId);
  const label = field?.name ?? columnId;
  const type = field?.column.type.base ?? "Any";
  const replace = (by: SortKey): void =>
    view.update({ sort: view.sort.map((each) => (each.columnId === columnId ? by : each)) });
  const directions = [false, true].map((value) =>
    h("option", { value: String(value), selected: value === isDescending }, directionText(field?.kind ?? "any", value)),
  );
  const select = h("select", { "aria-label": t("table.sort.direction", { column: label }) }, ...directions);
  select.addEventListener("change", () => replace(withDirection(key, select.value === "true", type)));
  const remove = h(
    "button",
    { type: "button", class: "bare", "aria-label": t("table.sort.remove", { column: label }) },
    icon("x"),
  );
  remove.addEventListener("click", () => {
    const popover = remove.closest<HTMLElement>(".popover");
    view.update({ sort: view.sort.filter((each) => each.columnId !== columnId) });
    popover?.querySelector<HTMLElement>("li select, .add-entry")?.focus();
  });
  const options = offeredFlags(type).map((flag) => {
    const box = h("input", { type: "checkbox", checked: hasEffect(key, flag) });
    box.addEventListener("change", () => replace(withEffect(key, { flag, isOn: box.checked, type })));
    return h("label", { class: "option" }, box, t(FLAG_NAMES[flag]));
  });
  const group = h("div", { class: "options", role: "group", "aria-label": t("table.sort.options", { column: label }) });
  group.append(...options);
  return {
    id: columnId,
    label,
    content: [
      h("span", { class: "name", translate: "no" }, label),
      select,
      remove,
      ...(options.length > 0 ? [group] : []),
    ],
  };
}
