/** The buttons of a single card, which lead to the previous and to the next one. */
import { h, icon, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Sheet } from "../../../table/client/sheet.ts";
import type { CardView } from "./card-view.ts";

export function attachCardSteps(sheet: Sheet<CardView>): void {
  const { grid, rowPages } = sheet;
  const position = h("p", { class: "card-position quiet" });
  const step = async (by: number) => {
    const row = grid.selection.active.row + by;
    if (row < 0 || row > grid.lastRow) return;
    // Input that is refused stays.
    if (grid.active && !(await grid.active.leave())) return;
    grid.activate({ row, column: 0 }, { focus: false });
  };
  const button = (name: "chevron-left" | "chevron-right", label: string, keys: string, by: number): HTMLElement => {
    const attributes = { type: "button", class: "bare", "aria-label": label, "aria-keyshortcuts": keys, title: label };
    return h("button", { ...attributes, onclick: () => void step(by) }, icon(name));
  };
  const previous = button("chevron-left", t("table.row.previous"), "Alt+PageUp", -1);
  const next = button("chevron-right", t("table.row.next"), "Alt+PageDown", 1);
  const show = () => {
    const { row } = grid.selection.active;
    const { count } = rowPages;
    const place = t("cards.position", { number: Math.min(row, count - 1) + 1, count });
    replaceChildren(position, row === grid.blankRow ? t("cards.new") : count > 0 && place);
    // Not disabled: that would remove the focus from it.
    previous.setAttribute("aria-disabled", String(row <= 0));
    next.setAttribute("aria-disabled", String(row >= grid.lastRow));
  };
  grid.element.before(h("div", { class: "bar card-steps" }, previous, position, next));
  sheet.onChange(show);
  sheet.onSelection = show;
  show();
}
