import type { CellValue } from "../../../../values/cell.ts";
import { api } from "../../../base/client/api.ts";
import { formDialog } from "../../../base/client/dialog.ts";
import { replaceChildren, h, icon, nameElement } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { type Column, listItems, cellValue } from "./columns/columns.ts";
import { parseText } from "./editors/text-editor.ts";
import type { Sheet } from "./sheet.ts";

export interface DistinctValue {
  readonly value: CellValue;
  readonly label: string;
  readonly rows: number | null;
}

/** Number of distinct values offered. */
const MAX_VALUES = 300;

/** Asks which values of a column to show. */
export function openFilterDialog(sheet: Sheet, column: Column): void {
  const before = sheet.view.filters[column.id] ?? [];
  const selected = new Map(before.map((value) => [JSON.stringify(value), value]));
  const list = h(
    "div",
    { class: "filter-values", role: "group", "aria-label": t("table.filter.values") },
    h("p", { class: "quiet" }, t("table.filter.loading")),
  );
  const search = h("input", {
    type: "search",
    placeholder: t("table.filter.searchHint"),
    "aria-label": t("table.filter.search"),
    autocomplete: "off",
  });
  const add = h("button", { type: "button", class: "plain small" }, t("table.filter.addValue"));
  let values: readonly DistinctValue[] = before.map((value) => ({
    value: value as CellValue,
    label: valueLabel(sheet, column, value),
    rows: null,
  }));
  const show = () => {
    const needle = search.value.trim().toLowerCase();
    const found = values.filter(({ label }) => label.toLowerCase().includes(needle));
    add.hidden = needle === "" || found.length > 0;
    replaceChildren(list, ...found.slice(0, MAX_VALUES).map((each) => valueElement(each, selected)));
    if (found.length === 0) replaceChildren(list, h("p", { class: "quiet" }, t("table.noResults")));
  };
  search.addEventListener("input", show);
  add.addEventListener("click", () => {
    const { value } = parseTypedValue(search.value.trim(), sheet, column);
    values = [{ value, label: search.value.trim(), rows: null }, ...values];
    selected.set(JSON.stringify(value), value);
    search.value = "";
    show();
  });
  const loadValues = async () => {
    const found = await findDistinctValues(sheet, column);
    const known = new Set(found.map(({ value }) => JSON.stringify(value)));
    values = [...values.filter(({ value }) => !known.has(JSON.stringify(value))), ...found];
    show();
  };
  void loadValues();
  void formDialog({
    title: t.rich("table.filter.title", { column: nameElement(column.name) }),
    content: [h("div", { class: "search" }, search, icon("search")), add, list],
    action: t("table.filter.apply"),
    submit: async () => {
      sheet.view.setFilter(column.id, selected.size > 0 ? [...selected.values()] : undefined);
    },
  });
}

function valueElement({ value, label, rows }: DistinctValue, chosen: Map<string, unknown>): HTMLElement {
  const key = JSON.stringify(value);
  const box = h("input", { type: "checkbox", checked: chosen.has(key) });
  box.addEventListener("change", () => (box.checked ? chosen.set(key, value) : chosen.delete(key)));
  const isWord = typeof value === "boolean" || label === "";
  return h(
    "label",
    {},
    box,
    h("span", { class: "text", translate: isWord ? null : "no" }, label || t("table.filter.empty")),
    rows !== null && h("span", { class: "quiet", translate: "no" }, t.number(rows)),
  );
}

/** Parses typed text as a value of the column. */
function parseTypedValue(text: string, sheet: Sheet, column: Column): { value: CellValue } {
  const { settings } = sheet.data;
  const { warning } = parseText(text, { column, settings });
  if (warning !== null || ["Text", "Any", "Choice"].includes(column.type.base)) return { value: text };
  return { value: column.type.convert(column.type.parse(text, { ...settings, widgetOptions: column.options })) };
}

/**
 * Returns the distinct values of a column, by frequency where known: of all rows if SQL is allowed, otherwise of the
 * loaded rows.
 */
export async function findDistinctValues(sheet: Sheet, column: Column): Promise<readonly DistinctValue[]> {
  if (column.type.base === "Bool")
    return [true, false].map((value) => ({
      value,
      label: value ? t("table.cell.yes") : t("table.cell.no"),
      rows: null,
    }));
  const isPlain = !["ChoiceList", "RefList", "Attachments"].includes(column.type.base);
  if (isPlain && column.displayId === null) {
    try {
      return await queryDistinctValues(sheet, column);
    } catch {
      // Access rules may deny SQL; falls back to the loaded rows.
    }
  }
  return distinctLoadedValues(sheet, column);
}

interface SqlAnswer {
  readonly records: readonly { readonly fields: Readonly<Record<string, unknown>> }[];
}

async function queryDistinctValues(sheet: Sheet, column: Column): Promise<DistinctValue[]> {
  const name = (id: string): string => `"${id.replaceAll('"', '""')}"`;
  const sql = `select ${name(column.id)} as value, count(*) as amount from ${name(sheet.table)} group by 1 order by 2 desc, 1 limit ${MAX_VALUES}`;
  const { records } = await api<SqlAnswer>(`/api/docs/${sheet.docId}/sql`, { method: "POST", body: { sql } });
  return records.flatMap(({ fields }) => {
    const value = fields["value"];
    if (value !== null && typeof value === "object") return [];
    return [{ value: value as CellValue, label: valueLabel(sheet, column, value), rows: Number(fields["amount"]) }];
  });
}

function distinctLoadedValues(sheet: Sheet, column: Column): DistinctValue[] {
  const found = new Map<string, DistinctValue>();
  for (const row of sheet.rowPages.loaded()) {
    const value = cellValue(row, column.id);
    // Lists are matched by their whole value.
    const wanted =
      Array.isArray(value) && value[0] === "L" && column.type.base !== "ChoiceList" ? listItems(value) : value;
    if (Array.isArray(value) && value[0] !== "L") continue;
    const key = JSON.stringify(wanted);
    const before = found.get(key);
    found.set(key, { value: wanted as CellValue, label: column.text(row), rows: (before?.rows ?? 0) + 1 });
  }
  return [...found.values()].map((each) => ({ ...each, rows: null })).slice(0, MAX_VALUES);
}

function valueLabel(sheet: Sheet, column: Column, value: unknown): string {
  if (column.displayId === null) return column.text({ id: 0, fields: { [column.id]: value } });
  const row = [...sheet.rowPages.loaded()].find((each) => each.fields[column.id] === value);
  return row ? column.text(row) : String(value);
}
