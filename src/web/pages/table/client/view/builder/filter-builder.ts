/** The filter builder: conditions and groups of them, applied as they are entered. */
import { h, icon, replaceChildren } from "../../../../../base/client/dom.ts";
import { openPopover } from "../../../../../base/client/popover.ts";
import { t } from "../../../../../base/client/texts.ts";
import type { Sheet } from "../../sheet.ts";
import {
  type Condition,
  fromFilter,
  type Group,
  isComplete,
  MAX_DEPTH,
  OPERATORS,
  type Part,
  toFilter,
} from "../filter-model.ts";
import type { FilterTarget } from "../filter-target.ts";
import { conditionRow, type RowContext } from "./condition-row.ts";
import { addPart, type PartPath, replacePart, setMatch } from "./part-paths.ts";

/** Typing does not send a request for each character. */
const APPLY_DELAY_MS = 300;
const WINDOW_MARGIN_PX = 8;

export function openFilterBuilder(sheet: Sheet, button: HTMLElement, target: FilterTarget): void {
  let root = fromFilter(sheet.view.state.filter, sheet.fields.kindOf);
  let applied = JSON.stringify(sheet.view.state.filter);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let refreshers: (() => void)[] = [];

  const rows = h("div", { class: "conditions" });
  const count = h("span", { class: "quiet count-line" });
  const show = h("button", { type: "button", class: "show-rows" });
  const addCondition = textButton(t("table.filter.addCondition"), "plus", () => {
    change(addPart(root, [], newCondition(sheet)), { focus: [root.parts.length] });
  });
  const addGroup = textButton(t("table.filter.addGroup"), "plus", () => {
    change(addPart(root, [], newGroup(sheet)), { focus: [root.parts.length, 0] });
  });
  const clear = textButton(t("table.filter.clear"), null, () => change({ ...root, match: "all", parts: [] }, {}));
  const popover = openPopover(button, {
    attributes: { class: "popover filter-builder", role: "dialog", "aria-label": t("table.filter") },
    content: [
      rows,
      h("footer", {}, addCondition, addGroup, h("span", { class: "grow" }), count, clear),
      ...(sheet.view.saving?.notes() ?? []).map((note) => h("p", { class: "quiet" }, note)),
      show,
    ],
    onClose: () => {
      countChanges.disconnect();
      unfollow();
      apply();
    },
  });
  const { element } = popover;
  // It grows with each condition; a sheet of phones has its own height.
  if (element.style.top !== "")
    element.style.maxHeight = `${innerHeight - element.getBoundingClientRect().top - WINDOW_MARGIN_PX}px`;

  const apply = (): void => {
    clearTimeout(timer);
    const filter = toFilter(root);
    const text = JSON.stringify(filter);
    const before = fromFilter(JSON.parse(applied) as Record<string, unknown>, sheet.fields.kindOf);
    // Saved filters have another form, and stay as they are until they are changed.
    if (text === JSON.stringify(toFilter(before))) return;
    applied = text;
    // Another condition is a step of the browser's history, another value of one is not.
    sheet.view.update({ filter }, { replaces: completeCount(before) === completeCount(root) });
  };
  const applySoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(apply, APPLY_DELAY_MS);
  };
  const change = (next: Group, { focus }: { focus?: PartPath }): void => {
    root = next;
    const wasOperator = document.activeElement?.matches(".operator") ?? false;
    render();
    if (focus) focusPart(rows, focus, wasOperator ? ".operator" : "select:not(.prefix)");
    else if (!element.contains(document.activeElement)) addCondition.focus();
    applySoon();
  };
  const context: RowContext = {
    sheet,
    replace: (path, parts, focus) => change(replacePart(root, path, parts), focus ? { focus } : {}),
    // The row keeps its fields, and the focus.
    setQuietly: (path, part) => {
      root = replacePart(root, path, [part]);
      applySoon();
    },
    isDeepest: (path) => path.length > MAX_DEPTH,
  };

  const renderGroup = (group: Group, path: PartPath): HTMLElement[] =>
    group.parts.map((part, at) => {
      const here = [...path, at];
      const prefix = prefixElement(group, at, (match) => change(setMatch(root, path, match), { focus: here }));
      if (part.type !== "group") {
        const row = conditionRow(part, here, { ...context, prefix });
        refreshers.push(row.refresh);
        return row.element;
      }
      return h(
        "div",
        { class: "condition-group", role: "group", "aria-label": t("table.filter.group"), "data-path": here.join(".") },
        prefix,
        h(
          "div",
          { class: "group-content" },
          ...renderGroup(part, here),
          h(
            "div",
            { class: "group-tools" },
            textButton(t("table.filter.addCondition"), "plus", () =>
              change(addPart(root, here, newCondition(sheet)), { focus: [...here, part.parts.length] }),
            ),
            here.length < MAX_DEPTH &&
              textButton(t("table.filter.addGroup"), "plus", () =>
                change(addPart(root, here, newGroup(sheet)), { focus: [...here, part.parts.length, 0] }),
              ),
            textButton(t("table.filter.deleteGroup"), "trash-2", () => change(replacePart(root, here, []), {})),
          ),
        ),
      );
    });
  const render = (): void => {
    refreshers = [];
    replaceChildren(
      rows,
      ...renderGroup(root, []),
      root.parts.length === 0 && h("p", { class: "quiet" }, t("table.filter.none")),
    );
    clear.hidden = root.parts.length === 0;
  };
  const showCount = (): void => {
    count.textContent = sheet.parts.count.textContent;
    show.textContent = t("table.filter.show", { count: sheet.rowPages.count });
  };
  // The number of all rows arrives after that of the rows found.
  const countChanges = new MutationObserver(showCount);
  countChanges.observe(sheet.parts.count, { childList: true, characterData: true, subtree: true });
  const follow = (): void => {
    showCount();
    for (const refresh of refreshers) refresh();
    const filter = JSON.stringify(sheet.view.state.filter);
    if (filter === applied) return;
    // The view was changed elsewhere, such as by Back.
    clearTimeout(timer);
    applied = filter;
    root = fromFilter(sheet.view.state.filter, sheet.fields.kindOf);
    render();
  };
  const unfollow = sheet.onChange(follow);
  show.addEventListener("click", () => popover.close());
  const columnAt = root.parts.findIndex(
    (part) => part.type === "condition" && part.path.split(".", 1)[0] === target.columnId,
  );
  let at = target.part ?? columnAt;
  if (root.parts.length === 0 || (target.columnId !== undefined && columnAt < 0) || target.isNew) {
    at = root.match === "any" ? 0 : root.parts.length;
    const added = newCondition(sheet, target.columnId);
    root = root.match === "any" ? { type: "group", match: "all", parts: [root, added] } : addPart(root, [], added);
    if (root.parts.length > at + 1) at = root.parts.length - 1;
  }
  render();
  follow();
  const isKnown = target.columnId !== undefined || target.part !== undefined;
  focusPart(rows, [Math.max(0, at)], isKnown ? ":is(input, .value-button, .values select)" : "select:not(.prefix)");
}

const completeCount = (part: Part): number => {
  if (part.type === "group") return part.parts.reduce((sum, each) => sum + completeCount(each), 0);
  return part.type === "custom" || isComplete(part) ? 1 : 0;
};

function newCondition(sheet: Sheet, columnId?: string): Condition {
  const path = columnId ?? sheet.shown[0]?.id ?? sheet.columns[0]?.id ?? "id";
  const kind = sheet.fields.kindOf(path) ?? "any";
  const [operator = "isEmpty"] = OPERATORS[kind];
  return { type: "condition", path, kind, operator, values: [] };
}

const newGroup = (sheet: Sheet): Group => ({ type: "group", match: "any", parts: [newCondition(sheet)] });

function prefixElement(group: Group, at: number, changed: (match: Group["match"]) => void): HTMLElement {
  if (at === 0) return h("span", { class: "prefix" }, t("table.filter.where"));
  if (at > 1) {
    return h("span", { class: "prefix" }, group.match === "any" ? t("table.filter.or") : t("table.filter.and"));
  }
  const select = h(
    "select",
    { class: "prefix", "aria-label": t("table.filter.match") },
    h("option", { value: "all", selected: group.match === "all" }, t("table.filter.and")),
    h("option", { value: "any", selected: group.match === "any" }, t("table.filter.or")),
  );
  select.addEventListener("change", () => changed(select.value === "any" ? "any" : "all"));
  return select;
}

const textButton = (text: string, name: "plus" | "trash-2" | null, run: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "plain small quiet-button", onclick: run }, name && icon(name), text);

/** Focuses a control of a condition, else its menu. */
function focusPart(rows: HTMLElement, path: PartPath, selector: string): void {
  const row = rows.querySelector<HTMLElement>(`[data-path="${path.join(".")}"]`);
  const control = row?.querySelector<HTMLElement>(selector) ?? row?.querySelector<HTMLElement>("select, .more");
  control?.focus();
  if (control instanceof HTMLInputElement) control.select();
}
