/** The chips of what narrows or orders the rows: filters and sorts, each of which can be removed. */
import { replaceChildren, h, icon, nameElement, type Child } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { IconName } from "../../../../base/icons.ts";
import { partText } from "./condition-text.ts";
import { fromFilter, type Part, toFilter, withoutPart } from "./filter-model.ts";
import { PERIOD_NAMES } from "../groups/group-label.ts";
import { openMenu, type MenuItem } from "../../../../base/client/menu.ts";
import type { Sheet } from "../sheet.ts";
import { pinItems, pinnedColumnOf } from "./view-saving.ts";

interface Chip {
  readonly icon: IconName;
  readonly content: readonly Child[];
  /** Its text for screen readers. */
  readonly label: string;
  readonly open: (button: HTMLElement) => void;
  readonly remove: () => void;
  /** The commands of its context menu. */
  readonly items?: () => readonly MenuItem[];
}

/** Shows the chips now and after each change. */
export function attachViewChips(sheet: Sheet): void {
  const host = sheet.parts.chips;
  host.addEventListener("keydown", (event) => handleKey(host, event));
  // The last used control is the one in the tab order.
  host.addEventListener("focusin", ({ target }) => setStop(host, target as HTMLElement));
  let shown: string | null = null;
  const show = () => {
    const chips = [...filterChips(sheet), ...sortChips(sheet), ...groupChips(sheet), ...findChips(sheet)];
    const key = [...chips.map(({ label }) => label), sheet.view.saving?.key].join("\n");
    // Rows change more often than chips, and rendering them again would take the focus.
    if (key === shown) return;
    shown = key;
    render(host, sheet, chips);
  };
  sheet.onChange(show);
  sheet.view.saving?.onChange(show);
  show();
}

function render(host: HTMLElement, sheet: Sheet, chips: readonly Chip[]): void {
  const at = controlsOf(host).indexOf(document.activeElement as HTMLElement);
  const clear = h("button", { type: "button", class: "plain small clear", tabindex: -1 }, t("table.view.clear"));
  clear.addEventListener("click", () => sheet.view.clear());
  const addFilter = h(
    "button",
    { type: "button", class: "plain small clear", tabindex: -1 },
    icon("plus"),
    t("table.filter.add"),
  );
  addFilter.addEventListener("click", () => sheet.onOpenFilter({ isNew: true }));
  replaceChildren(
    host,
    sheet.data.hasRowRules &&
      h(
        "span",
        { class: "chip view-chip fixed", role: "listitem" },
        icon("lock"),
        h("span", {}, t("table.view.rules")),
      ),
    ...chips.map(chipElement),
    chips.length > 0 && h("span", { role: "listitem" }, addFilter),
    chips.length > 1 && h("span", { class: "last", role: "listitem" }, clear),
    ...(sheet.view.saving?.controls() ?? []),
  );
  host.hidden = !host.hasChildNodes();
  const controls = controlsOf(host);
  setStop(host, controls[0]);
  if (at < 0) return;
  // The focus goes to the chip after a removed one, to the last one, or back to the rows.
  const chipControls = controls.slice(0, chips.length);
  const next = chipControls[Math.min(at, chipControls.length - 1)];
  if (next) next.focus();
  else sheet.grid.focus();
}

function chipElement({ icon: name, content, label, open, remove, items }: Chip): HTMLElement {
  const main = h(
    "button",
    {
      type: "button",
      class: "bare text",
      tabindex: -1,
      "aria-label": label,
      title: label,
      "aria-keyshortcuts": "Delete",
    },
    icon(name),
    h("span", {}, ...content),
  );
  main.addEventListener("click", () => open(main));
  main.addEventListener("contextmenu", (event) => {
    const commands = items?.() ?? [];
    if (commands.length === 0) return;
    event.preventDefault();
    openMenu(main, commands);
  });
  const cross = h(
    "button",
    { type: "button", class: "bare", tabindex: -1, "aria-label": t("table.view.remove", { setting: label }) },
    icon("x"),
  );
  cross.addEventListener("click", () => {
    // The focus moves on as from the chip itself.
    main.focus();
    remove();
  });
  return h("span", { class: "chip view-chip", role: "listitem" }, main, cross);
}

/** The controls that arrow keys move between; crosses are for pointers, and Delete does the same. */
const controlsOf = (host: HTMLElement): HTMLElement[] =>
  [...host.querySelectorAll<HTMLElement>(".chip > .text, .clear")].filter(
    (each) => getComputedStyle(each).display !== "none",
  );

function setStop(host: HTMLElement, control: HTMLElement | undefined): void {
  const controls = controlsOf(host);
  if (!control || !controls.includes(control)) return;
  for (const each of controls) each.tabIndex = each === control ? 0 : -1;
}

function handleKey(host: HTMLElement, event: KeyboardEvent): void {
  const controls = controlsOf(host);
  const at = controls.indexOf(event.target as HTMLElement);
  if (at < 0) return;
  const step = getComputedStyle(host).direction === "rtl" ? -1 : 1;
  const targets: Record<string, number> = {
    ArrowRight: at + step,
    ArrowLeft: at - step,
    Home: 0,
    End: controls.length - 1,
  };
  const target = targets[event.key];
  if (target !== undefined) controls[Math.max(0, Math.min(target, controls.length - 1))]?.focus();
  else if (event.key === "Delete" || event.key === "Backspace") {
    controls[at]?.parentElement?.querySelector<HTMLElement>("button:not(.text, .clear)")?.click();
  } else return;
  event.preventDefault();
}

function sortChips(sheet: Sheet): Chip[] {
  const { view } = sheet;
  return view.sort.map(({ columnId, isDescending }) => {
    const column = sheet.columns.find(({ id }) => id === columnId);
    const name = column?.name ?? columnId;
    return {
      icon: isDescending ? "arrow-down" : "arrow-up",
      content: [nameElement(name)],
      label: t(isDescending ? "table.view.descending" : "table.view.ascending", { column: name }),
      open: (button) => column && sheet.onOpenColumnMenu(column, button),
      remove: () => view.setSort(view.sort.filter((each) => each.columnId !== columnId)),
    };
  });
}

function findChips({ view, onOpenFind }: Sheet): Chip[] {
  const { find } = view.state;
  if (find === "") return [];
  return [
    {
      icon: "search",
      content: t.rich("table.find.chip", { text: nameElement(find) }),
      label: t("table.find.chip", { text: find }),
      open: () => onOpenFind(),
      remove: () => view.update({ find: "" }),
    },
  ];
}

function groupChips(sheet: Sheet): Chip[] {
  return sheet.grouping.keys.map(({ key: { columnId, by }, column: { name } }) => {
    const period = by === null ? null : t(PERIOD_NAMES[by]);
    return {
      icon: "group",
      content:
        period === null
          ? t.rich("table.groups.by", { column: nameElement(name) })
          : t.rich("table.groups.byPeriod", { column: nameElement(name), period }),
      label:
        period === null ? t("table.groups.by", { column: name }) : t("table.groups.byPeriod", { column: name, period }),
      open: () => sheet.onOpenGroups(),
      remove: () => sheet.view.update({ groups: sheet.view.state.groups.filter((each) => each.columnId !== columnId) }),
    };
  });
}

function filterChips(sheet: Sheet): Chip[] {
  const { view } = sheet;
  const group = fromFilter(view.state.filter, sheet.fields.kindOf);
  // Alternatives are one chip: each alone would narrow the rows in another way.
  const parts: readonly Part[] = group.match === "any" ? [group] : group.parts;
  const chips = parts.map((part, at) => {
    const { content, label } = partText(part, sheet);
    const isPinned = view.saving?.pinned.includes(pinnedColumnOf(part) ?? "") ?? false;
    return {
      icon: isPinned ? ("pin" as const) : ("list-filter" as const),
      content,
      label: isPinned ? t("view.saving.pinned", { filter: label }) : label,
      open: () => sheet.onOpenFilter({ part: group.match === "any" ? 0 : at }),
      remove: () => view.update({ filter: parts.length > 1 ? toFilter(withoutPart(group, at)) : {} }),
      items: () => pinItems(view.saving, part),
    };
  });
  return [...chips, ...pinnedChips(sheet, parts)];
}

/** Pinned filters without a value. */
function pinnedChips({ view, columns, onOpenFilter }: Sheet, parts: readonly Part[]): Chip[] {
  const filtered = new Set(parts.map(pinnedColumnOf));
  return (view.saving?.pinned ?? []).flatMap((columnId) => {
    const column = columns.find(({ id }) => id === columnId);
    if (!column || filtered.has(columnId)) return [];
    return [
      {
        icon: "pin" as const,
        content: [nameElement(column.name)],
        label: t("view.saving.pinned", { filter: column.name }),
        open: () => onOpenFilter({ columnId }),
        remove: () => view.saving?.setPinned(columnId, false),
      },
    ];
  });
}
