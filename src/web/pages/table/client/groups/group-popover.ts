/** The popover in which the columns to group by are chosen, ordered and removed. */
import { announce } from "../../../../base/client/announce.ts";
import { type Child, h, icon, nameElement, replaceChildren } from "../../../../base/client/dom.ts";
import { openPopover } from "../../../../base/client/popover.ts";
import { t } from "../../../../base/client/texts.ts";
import { type GroupKey, MAX_GROUPS, PERIODS } from "../../../../base/view-state.ts";
import type { Column } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";
import { moved, orderedList } from "../view/lists/ordered-list.ts";
import { canGroupBy, defaultPeriod } from "./grouping.ts";
import { PERIOD_NAMES } from "./group-label.ts";

export function openGroupPopover(sheet: Sheet, button: HTMLElement): void {
  const keys = (): readonly GroupKey[] => sheet.grouping.keys.map(({ key }) => key);
  const list = orderedList({
    label: t("table.groups"),
    move: (from, to) => apply(moved(keys(), from, to)),
  });
  const problem = h("p", { class: "field-problem", hidden: true });
  const hint = h("p", { class: "quiet" }, t("table.groups.none"));
  const add = h("select", { class: "add-entry", "aria-label": t("table.groups.add") });
  const popover = openPopover(button, {
    attributes: { class: "popover list-popover group-popover", role: "dialog", "aria-label": t("table.groups") },
    content: [hint, list.element, add, problem],
  });
  let attempts = 0;

  const apply = (groups: readonly GroupKey[]): void => {
    attempts++;
    problem.hidden = true;
    sheet.view.update({ groups });
    render();
  };
  /** Groups that are refused leave the view as it is. */
  const applyUnlessRefused = async (groups: readonly GroupKey[]): Promise<void> => {
    const attempt = ++attempts;
    popover.element.setAttribute("aria-busy", "true");
    const refusal = await sheet.grouping.refusal(groups);
    if (attempt !== attempts) return;
    popover.element.setAttribute("aria-busy", "false");
    if (refusal === null) return apply(groups);
    problem.hidden = false;
    problem.textContent = refusal;
    announce(problem);
    render();
  };

  const controls = (key: GroupKey, column: Column): readonly Child[] => {
    const name = { column: column.name };
    const replaced = (part: Partial<GroupKey>): GroupKey[] =>
      keys().map((each) => (each.columnId === key.columnId ? { ...each, ...part } : each));
    const order = h(
      "select",
      { "aria-label": t("table.groups.order", name) },
      h("option", { value: "" }, t("table.groups.ascending")),
      h("option", { value: "-", selected: key.isDescending }, t("table.groups.descending")),
    );
    order.addEventListener("change", () => apply(replaced({ isDescending: order.value === "-" })));
    const remove = (): void => {
      apply(keys().filter(({ columnId }) => columnId !== key.columnId));
      add.focus();
    };
    return [
      h("span", { class: "name" }, nameElement(column.name)),
      defaultPeriod(column) !== null && periodSelect(key, column, (by) => void applyUnlessRefused(replaced({ by }))),
      order,
      h(
        "button",
        { type: "button", class: "bare", "aria-label": t("table.groups.remove", name), onclick: remove },
        icon("x"),
      ),
    ];
  };

  const render = (): void => {
    const chosen = sheet.grouping.keys;
    list.show(chosen.map(({ key, column }) => ({ id: column.id, label: column.name, content: controls(key, column) })));
    list.element.hidden = chosen.length === 0;
    hint.hidden = chosen.length > 0;
    const others = sheet.columns.filter(
      (column) => canGroupBy(column) && !chosen.some(({ key }) => key.columnId === column.id),
    );
    replaceChildren(
      add,
      h("option", { value: "" }, t("table.groups.choose")),
      ...others.map(({ id, name }) => h("option", { value: id, translate: "no" }, name)),
    );
    add.hidden = chosen.length >= MAX_GROUPS || others.length === 0;
    if (!popover.element.contains(document.activeElement))
      (list.element.querySelector<HTMLElement>("select:last-of-type") ?? add).focus();
  };
  add.addEventListener("change", () => {
    const column = sheet.columns.find(({ id }) => id === add.value);
    if (!column) return;
    const key = { columnId: column.id, isDescending: false, by: defaultPeriod(column) };
    void applyUnlessRefused([...keys(), key]);
  });
  render();
}

function periodSelect(key: GroupKey, column: Column, choose: (by: GroupKey["by"]) => void): HTMLElement {
  const select = h(
    "select",
    { "aria-label": t("table.groups.period", { column: column.name }) },
    h("option", { value: "", selected: key.by === null }, t("table.groups.value")),
    ...PERIODS.map((period) => h("option", { value: period, selected: key.by === period }, t(PERIOD_NAMES[period]))),
  );
  select.addEventListener("change", () => choose(PERIODS.find((period) => period === select.value) ?? null));
  return select;
}
