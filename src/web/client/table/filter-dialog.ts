import type { CellValue } from "../../../values/cell.ts";
import { api } from "../base/api.ts";
import { formDialog } from "../base/dialog.ts";
import { fill, h, icon } from "../base/dom.ts";
import { type Column, itemsOf, valueOf } from "./columns.ts";
import { readText } from "./editors/text-editor.ts";
import type { Sheet } from "./sheet.ts";

export interface FoundValue {
  readonly value: CellValue;
  readonly label: string;
  readonly rows: number | null;
}

/** So many different values are offered. */
const MAX_VALUES = 300;

/** Asks which values of a column are to be seen. */
export function openFilter(sheet: Sheet, column: Column): void {
  const before = sheet.view.filters[column.id] ?? [];
  const chosen = new Map(before.map((value) => [JSON.stringify(value), value]));
  const list = h(
    "div",
    { class: "filter-values", role: "group", "aria-label": "Values" },
    h("p", { class: "quiet" }, "Looking for the values…"),
  );
  const search = h("input", {
    type: "search",
    placeholder: "Find a value, or type one",
    "aria-label": "Find a value",
    autocomplete: "off",
  });
  const add = h("button", { type: "button", class: "plain small" }, "Add what is typed");
  let values: readonly FoundValue[] = before.map((value) => ({
    value: value as CellValue,
    label: labelOf(sheet, column, value),
    rows: null,
  }));
  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = values.filter(({ label }) => label.toLowerCase().includes(wanted));
    add.hidden = wanted === "" || found.length > 0;
    fill(list, ...found.slice(0, MAX_VALUES).map((each) => entry(each, chosen)));
    if (found.length === 0) fill(list, h("p", { class: "quiet" }, "No such value among those that were found."));
  };
  search.addEventListener("input", show);
  add.addEventListener("click", () => {
    const { value } = readTyped(search.value.trim(), sheet, column);
    values = [{ value, label: search.value.trim(), rows: null }, ...values];
    chosen.set(JSON.stringify(value), value);
    search.value = "";
    show();
  });
  const look = async () => {
    const found = await findValues(sheet, column);
    const known = new Set(found.map(({ value }) => JSON.stringify(value)));
    values = [...values.filter(({ value }) => !known.has(JSON.stringify(value))), ...found];
    show();
  };
  void look();
  void formDialog({
    title: `Filter by ${column.name}`,
    content: [h("div", { class: "search" }, search, icon("search")), add, list],
    action: "Show these rows",
    submit: async () => {
      sheet.view.setFilter(column.id, chosen.size > 0 ? [...chosen.values()] : undefined);
    },
  });
}

function entry({ value, label, rows }: FoundValue, chosen: Map<string, unknown>): HTMLElement {
  const key = JSON.stringify(value);
  const box = h("input", { type: "checkbox", checked: chosen.has(key) });
  box.addEventListener("change", () => (box.checked ? chosen.set(key, value) : chosen.delete(key)));
  return h(
    "label",
    {},
    box,
    h("span", { class: "text" }, label || "(empty)"),
    rows !== null && h("span", { class: "quiet" }, rows.toLocaleString()),
  );
}

/** What is typed as the column would keep it. */
function readTyped(text: string, sheet: Sheet, column: Column): { value: CellValue } {
  const { settings } = sheet.data;
  const { misfit } = readText(text, { column, settings });
  if (misfit !== null || ["Text", "Any", "Choice"].includes(column.type.base)) return { value: text };
  return { value: column.type.convert(column.type.parse(text, { ...settings, widgetOptions: column.options })) };
}

/** The different values of a column, most frequent first where that is known: of all rows where the document may be asked by SQL, else of those that are loaded. */
export async function findValues(sheet: Sheet, column: Column): Promise<readonly FoundValue[]> {
  if (column.type.base === "Bool")
    return [true, false].map((value) => ({ value, label: value ? "Yes" : "No", rows: null }));
  const isPlain = !["ChoiceList", "RefList", "Attachments"].includes(column.type.base);
  if (isPlain && column.displayId === null) {
    try {
      return await askBySql(sheet, column);
    } catch {
      // Access rules may keep SQL from the person; what is on the page is something, too.
    }
  }
  return loadedValues(sheet, column);
}

interface SqlAnswer {
  readonly records: readonly { readonly fields: Readonly<Record<string, unknown>> }[];
}

async function askBySql(sheet: Sheet, column: Column): Promise<FoundValue[]> {
  const name = (id: string): string => `"${id.replaceAll('"', '""')}"`;
  const sql = `select ${name(column.id)} as value, count(*) as amount from ${name(sheet.table)} group by 1 order by 2 desc, 1 limit ${MAX_VALUES}`;
  const { records } = await api<SqlAnswer>(`/api/docs/${sheet.docId}/sql`, { method: "POST", body: { sql } });
  return records.flatMap(({ fields }) => {
    const value = fields["value"];
    if (value !== null && typeof value === "object") return [];
    return [{ value: value as CellValue, label: labelOf(sheet, column, value), rows: Number(fields["amount"]) }];
  });
}

function loadedValues(sheet: Sheet, column: Column): FoundValue[] {
  const found = new Map<string, FoundValue>();
  for (const row of sheet.pages.loaded()) {
    const value = valueOf(row, column.id);
    // Lists are found by the whole of what they hold.
    const wanted =
      Array.isArray(value) && value[0] === "L" && column.type.base !== "ChoiceList" ? itemsOf(value) : value;
    if (Array.isArray(value) && value[0] !== "L") continue;
    const key = JSON.stringify(wanted);
    const before = found.get(key);
    found.set(key, { value: wanted as CellValue, label: column.text(row), rows: (before?.rows ?? 0) + 1 });
  }
  return [...found.values()].map((each) => ({ ...each, rows: null })).slice(0, MAX_VALUES);
}

function labelOf(sheet: Sheet, column: Column, value: unknown): string {
  if (column.displayId === null) return column.text({ id: 0, fields: { [column.id]: value } });
  const row = [...sheet.pages.loaded()].find((each) => each.fields[column.id] === value);
  return row ? column.text(row) : String(value);
}
