/** The field of conditions with several values: a button with the chosen ones, which unfolds the list to choose from. */
import { h, icon, newId, replaceChildren } from "../../../../../base/client/dom.ts";
import { t } from "../../../../../base/client/texts.ts";
import { choicePill } from "../../cells/cell-renderers.ts";
import { parseText } from "../../editors/parse-text.ts";
import type { Sheet } from "../../sheet.ts";
import { valueLabel } from "../condition-text.ts";
import type { FilterField } from "../filter-fields.ts";
import { MAX_VALUES } from "../filter-model.ts";
import { type DistinctValue, findDistinctValues, MAX_OFFERED } from "./distinct-values.ts";

export interface ValueListOptions {
  readonly sheet: Sheet;
  readonly field: FilterField;
  readonly values: readonly unknown[];
  readonly changed: (values: readonly unknown[]) => void;
}

const SEARCH_DELAY_MS = 250;

export interface ValueList {
  /** The button with the chosen values. */
  readonly button: HTMLElement;
  /** The list, below the condition. */
  readonly list: HTMLElement;
  /** Shows labels that have been loaded. */
  readonly refresh: () => void;
}

export function valueList({ sheet, field, values, changed }: ValueListOptions): ValueList {
  const chosen = new Map(values.map((value) => [JSON.stringify(value), value]));
  const label = (value: unknown): string => valueLabel(value, field, sheet.labels) ?? "…";
  let offered: readonly DistinctValue[] = values.map((value) => ({
    value: value as DistinctValue["value"],
    rows: null,
  }));
  let isLoaded = false;
  const items = h("div", { class: "filter-values", role: "group", "aria-label": t("table.filter.values") });
  const note = h("p", { class: "quiet loaded-rows", hidden: true });
  const search = h("input", {
    type: "search",
    placeholder: t("table.filter.searchHint"),
    "aria-label": t("table.filter.search"),
    autocomplete: "off",
  });
  const add = h("button", { type: "button", class: "plain small", hidden: true }, t("table.filter.addValue"));
  const id = newId("values");
  const list = h("div", { class: "value-list", id, hidden: true }, search, add, items, note);
  const button = h("button", {
    type: "button",
    class: "plain small value-button",
    "aria-expanded": "false",
    "aria-controls": id,
  });

  const showChosen = (): void => {
    const shown = [...chosen.values()];
    const isChoice = field.kind === "choice" || field.kind === "choices";
    const elements = shown.map((value) =>
      isChoice && typeof value === "string" && value !== ""
        ? choicePill(field.column, value)
        : h("span", { class: "tag", translate: typeof value === "boolean" ? null : "no" }, label(value)),
    );
    const hint = shown.length === 0 && h("span", { class: "quiet" }, t("table.filter.choose"));
    replaceChildren(button, hint, ...elements, icon("chevron-down"));
    const names = shown.map(label).join(", ");
    button.setAttribute(
      "aria-label",
      names === "" ? t("table.filter.choose") : t("table.filter.chosen", { values: names }),
    );
  };
  const toggle = (value: unknown, isChosen: boolean): void => {
    if (isChosen) chosen.set(JSON.stringify(value), value);
    else chosen.delete(JSON.stringify(value));
    showChosen();
    note.hidden = chosen.size < MAX_VALUES;
    if (!note.hidden) note.textContent = t("table.filter.maxValues", { count: MAX_VALUES });
    for (const box of items.querySelectorAll("input")) box.disabled = !box.checked && chosen.size >= MAX_VALUES;
    changed([...chosen.values()]);
  };
  const show = (): void => {
    const needle = search.value.trim().toLowerCase();
    const found = offered.filter(({ value }) => label(value).toLowerCase().includes(needle));
    add.hidden = needle === "" || found.length > 0 || !canAdd(field);
    const none = !isLoaded ? t("table.filter.loading") : t("table.noResults");
    replaceChildren(
      items,
      found.length === 0 && h("p", { class: "quiet" }, none),
      ...found.slice(0, MAX_OFFERED).map((each) => valueElement(each)),
    );
  };
  const valueElement = ({ value, rows }: DistinctValue): HTMLElement => {
    const box = h("input", { type: "checkbox", checked: chosen.has(JSON.stringify(value)) });
    box.addEventListener("change", () => toggle(value, box.checked));
    const isWord = typeof value === "boolean" || value === null || value === "";
    return h(
      "label",
      {},
      box,
      h("span", { class: "text", translate: isWord ? null : "no" }, label(value)),
      rows !== null && h("span", { class: "quiet", translate: "no" }, t.number(rows)),
    );
  };
  const load = async (needle = ""): Promise<void> => {
    const { values: found, areLoaded } = await findDistinctValues(sheet, field, needle).catch(() => ({
      values: [],
      areLoaded: true,
    }));
    const known = new Set(found.map(({ value }) => JSON.stringify(value)));
    isLoaded = true;
    offered = [...offered.filter(({ value }) => !known.has(JSON.stringify(value))), ...found];
    note.hidden = !areLoaded;
    if (areLoaded) note.textContent = t("table.filter.loadedRows");
    show();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  search.addEventListener("input", () => {
    show();
    const isReference = field.kind === "reference" || field.kind === "references";
    clearTimeout(timer);
    // More rows than the list holds are found by the server.
    if (isReference && offered.length >= MAX_OFFERED)
      timer = setTimeout(() => void load(search.value.trim()), SEARCH_DELAY_MS);
  });
  add.addEventListener("click", () => {
    const value = typedValue(search.value.trim(), sheet, field);
    offered = [{ value, rows: null }, ...offered];
    search.value = "";
    toggle(value, true);
    show();
  });
  button.addEventListener("click", () => {
    list.hidden = !list.hidden;
    button.setAttribute("aria-expanded", String(!list.hidden));
    if (list.hidden) return;
    show();
    if (!isLoaded) void load();
    search.focus();
  });
  showChosen();
  return {
    button,
    list,
    refresh: () => {
      showChosen();
      if (!list.hidden && !items.contains(document.activeElement)) show();
    },
  };
}

/** Rows are chosen from the list only. */
const canAdd = ({ kind }: FilterField): boolean => kind !== "reference" && kind !== "references";

function typedValue(text: string, sheet: Sheet, { column }: FilterField): DistinctValue["value"] {
  const { settings } = sheet.data;
  const { warning } = parseText(text, { column, settings });
  if (warning !== null || ["Text", "Any", "Choice", "ChoiceList"].includes(column.type.base)) return text;
  return column.type.convert(column.type.parse(text, { ...settings, widgetOptions: column.options }));
}
