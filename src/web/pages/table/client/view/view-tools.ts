/** The tools of the view: each button is pressed while its part of the view is set, and says how many there are. */
import type { FittedTool } from "../../../../base/client/fit-tools.ts";
import { h, icon, replaceChildren } from "../../../../base/client/dom.ts";
import { attachMenu, type MenuItem, openMenu } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { LINE_COUNTS } from "../../../../base/view-state.ts";
import type { IconName } from "../../../../base/icons.ts";
import { openColumnsPopover, openFilterBuilder, openGroupPopover, openSortPopover } from "../on-first-use.ts";
import type { Sheet } from "../sheet.ts";
import { countConditions, fromFilter } from "./filter-model.ts";

interface ViewTool extends FittedTool {
  readonly show: () => void;
}

interface ToolOptions {
  readonly icon: IconName;
  readonly text: string;
  /** Its text with what is set, and that alone; null while nothing is set. */
  readonly state: () => { readonly label: string; readonly short: string } | null;
  readonly open: (anchor: HTMLElement) => void;
}

/** Returns the tools, and a function that shows their states. */
export function viewTools(sheet: Sheet): { readonly tools: readonly FittedTool[]; readonly show: () => void } {
  const { view } = sheet;
  const filter = popoverTool({
    icon: "list-filter",
    text: t("table.filter"),
    state: () => {
      const group = fromFilter(view.state.filter, sheet.fields.kindOf);
      const count = countConditions(group);
      return count > 0 ? { label: t("table.filter.count", { count }), short: t.number(count) } : null;
    },
    open: (anchor) => void openFilterBuilder(sheet, anchor, {}),
  });
  sheet.onOpenFilter = (target) => void openFilterBuilder(sheet, filter.button, target);
  const sort = popoverTool({
    icon: "arrow-up-down",
    text: t("table.sort"),
    state: () => {
      const count = view.sort.length;
      return count > 0 ? { label: t("table.sort.count", { count }), short: t.number(count) } : null;
    },
    open: (anchor) => void openSortPopover(sheet, anchor),
  });
  const group = popoverTool({
    icon: "group",
    text: t("table.groups"),
    state: () => {
      const count = sheet.grouping.keys.length;
      return count > 0 ? { label: t("table.groups.button", { count }), short: t.number(count) } : null;
    },
    open: (anchor) => void openGroupPopover(sheet, anchor),
  });
  sheet.onOpenGroups = () => void openGroupPopover(sheet, group.button);
  const columns = popoverTool({
    icon: "columns-3",
    text: t("table.columns"),
    state: () => {
      const count = sheet.columns.length - sheet.shown.length;
      const texts = { label: t("table.columns.hidden", { count }), short: t("table.columns.hiddenCount", { count }) };
      return count > 0 ? texts : null;
    },
    open: (anchor) => void openColumnsPopover(sheet, anchor),
  });
  const { isGrid } = sheet.grid;
  const all = [
    { ...filter, stays: true },
    sort,
    ...(isGrid ? [group] : []),
    { ...columns, isInMenuOnPhones: true },
    ...(isGrid ? [{ ...linesTool(sheet), isInMenuOnPhones: true }] : []),
  ];
  return { tools: all, show: () => all.forEach(({ show }) => show()) };
}

function popoverTool(options: ToolOptions): ViewTool {
  const tool = stateButton(options);
  const { button } = tool;
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    // A press on the button has closed the open popover.
    if (button.getAttribute("aria-expanded") !== "true") options.open(button);
  });
  return tool;
}

function stateButton({ icon: name, text, state, open }: ToolOptions): ViewTool {
  const button = h("button", { type: "button", class: "small plain" });
  let shown: string | undefined;
  const show = (): void => {
    const set = state();
    const label = set?.label ?? text;
    if (label === shown) return;
    shown = label;
    button.setAttribute("aria-label", label);
    button.setAttribute("aria-pressed", String(set !== null));
    const count = set && h("span", { class: "count" }, set.short);
    replaceChildren(button, icon(name), h("span", { class: "text" }, text), set && " ", count);
  };
  show();
  const item = (): MenuItem => ({ label: state()?.label ?? text, icon: name, run: () => open(moreButton(button)) });
  return { button, show, item };
}

/** The menu that a tool has moved into. */
const moreButton = (button: HTMLElement): HTMLElement =>
  button.parentElement?.querySelector<HTMLElement>(".more-tools") ?? button;

function linesTool({ view }: Sheet): ViewTool {
  const items = (): MenuItem[] => {
    const { lines } = view.state;
    // Another number comes from an address.
    const counts = [...new Set<number>([...LINE_COUNTS, lines])].toSorted((a, b) => a - b);
    return counts.map((count) => ({
      label: t("table.lines.count", { count }),
      isChosen: count === lines,
      run: () => view.update({ lines: count }, { replaces: true }),
    }));
  };
  const tool = stateButton({
    icon: "rows-3",
    text: t("table.lines"),
    state: () => {
      const { lines } = view.state;
      const label = t("table.lines.set", { lines: t("table.lines.count", { count: lines }) });
      return lines === 1 ? null : { label, short: t.number(lines) };
    },
    open: (anchor) => openMenu(anchor, items()),
  });
  attachMenu(tool.button, items);
  return tool;
}
