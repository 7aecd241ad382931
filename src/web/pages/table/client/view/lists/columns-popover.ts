/** The columns of the view: which are shown, and in which order. */
import { h, icon } from "../../../../../base/client/dom.ts";
import { focusField } from "../../../../../base/client/bottom-sheet.ts";
import { openPopover } from "../../../../../base/client/popover.ts";
import { t } from "../../../../../base/client/texts.ts";
import type { Column } from "../../columns/columns.ts";
import { setColumnHidden, setHiddenColumns } from "../../columns/hide-columns.ts";
import { freezeUpTo, isFrozen } from "../../columns/move-column.ts";
import type { Sheet } from "../../sheet.ts";
import { moved, type OrderedEntry, orderedList } from "./ordered-list.ts";

export function openColumnsPopover(sheet: Sheet, button: HTMLElement): void {
  const { view } = sheet;
  const search = h("input", { type: "search", "aria-label": t("table.columns.search"), autocomplete: "off" });
  const listed = (): Column[] => {
    const needle = search.value.trim().toLowerCase();
    return sheet.columns.filter(({ name }) => name.toLowerCase().includes(needle));
  };
  const list = orderedList({
    label: t("table.columns"),
    move(from, to) {
      const all = listed();
      const ids = sheet.columns.map(({ id }) => id);
      // While a search hides some of them, a column moves to the place of a listed one.
      const [start, end] = [from, to].map((at) => ids.indexOf(all[at]?.id ?? ""));
      if (start !== undefined && end !== undefined && start >= 0 && end >= 0)
        view.update({ order: moved(ids, start, end) }, { replaces: true });
    },
  });
  const all = h("button", { type: "button", class: "plain small quiet-button" }, t("table.columns.showAll"));
  all.addEventListener("click", () => setHiddenColumns(sheet, []));
  const none = h("button", { type: "button", class: "plain small quiet-button" }, t("table.columns.hideAll"));
  none.addEventListener("click", () => {
    // A table without columns could not be used.
    const [, ...others] = sheet.columns;
    setHiddenColumns(
      sheet,
      others.map(({ id }) => id),
    );
  });
  let shown: string | undefined;
  const show = (): void => {
    const columns = listed();
    const key = JSON.stringify(
      columns.map(({ id, name }) => [id, name, view.isHidden(id), sheet.shown.length, view.state.frozen]),
    );
    if (key === shown) return;
    shown = key;
    list.show(columns.map((column) => entry(sheet, column)));
  };
  search.addEventListener("input", show);
  const unfollow = sheet.onChange(show);
  show();
  const { element } = openPopover(button, {
    attributes: { class: "popover list-popover", role: "dialog", "aria-label": t("table.columns") },
    content: [h("div", { class: "search" }, search, icon("search")), list.element, h("footer", {}, all, none)],
    onClose: unfollow,
  });
  focusField(search, element);
}

function entry(sheet: Sheet, column: Column): OrderedEntry {
  const { view, shown } = sheet;
  const { id, name } = column;
  const isShown = !view.isHidden(id);
  const box = h("input", { type: "checkbox", checked: isShown, disabled: isShown && shown.length === 1 });
  box.addEventListener("change", () => setColumnHidden(sheet, id, !box.checked));
  const label = h("label", {}, box, h("span", { class: "name", translate: "no" }, name));
  return { id, label: name, content: [label, isShown && shown.length > 1 && freezeButton(sheet, column)] };
}

/** Freezes the columns up to one; pressed again on the last of them, none. */
function freezeButton(sheet: Sheet, column: Column): HTMLElement {
  const { frozen } = sheet.view.state;
  const isLast = sheet.shown[frozen - 1] === column;
  return h(
    "button",
    {
      type: "button",
      class: "bare freeze",
      "aria-label": t("table.column.freezeUpTo", { column: column.name }),
      "aria-pressed": String(isFrozen(sheet, column)),
      onclick: () => freezeUpTo(sheet, isLast ? null : column),
    },
    icon("pin"),
  );
}
