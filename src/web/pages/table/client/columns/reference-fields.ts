/** Fields of a reference: its table, the column that it shows, how texts are matched, and the column of the other direction. */
import type { ColumnListing } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { find, replaceChildren, h, nameElement } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { titleOf } from "../../../../base/table-titles.ts";
import { type Column, displayNames } from "./columns.ts";
import type { Sheet } from "../sheet.ts";
import { reverseField } from "./reverse-field.ts";
import { dataSelect, type SelectInput, selectInput } from "./select-inputs.ts";
import type { ShownTarget, TypeFields } from "./type-fields.ts";

export function referenceFields(sheet: Sheet, column: Column): TypeFields {
  const tables = sheet.data.tables.map(({ id }) => id);
  const nameOfTable = (id: string): string => titleOf(t, id, sheet.data.tables);
  const target = dataSelect(t("table.type.target"), column.type.target ?? tables[0] ?? "", tables, nameOfTable);
  const shows = selectInput(t("table.type.shows"), "", { "": t("table.type.rowId") });
  const matches = selectInput(t("table.type.matches"), "", { "": t("table.type.matches.shown") });
  // References are converted by what they show.
  matches.element.hidden = column.isEmpty || column.type.target !== undefined;
  const missing = missingRows();
  const reverse = reverseField(sheet, column);
  let columns: readonly ColumnListing[] = [];
  const load = async () => {
    columns = await readColumnsOf(sheet, target.input.value);
    const isSame = target.input.value === column.type.target;
    // Defaults to the first column of the other table.
    fillColumns(shows, columns, isSame ? column.visibleRef : (columns[0]?.fields.colRef ?? 0));
    fillColumns(matches, columns, 0);
    reverse.show({ table: target.input.value, columns });
  };
  let ready = load();
  target.input.addEventListener("input", () => {
    missing.show(0, "");
    ready = load();
  });
  const selected = ({ input }: SelectInput): ShownTarget | null => {
    const found = columns.find(({ fields }) => String(fields.colRef) === input.value);
    return found ? { ref: found.fields.colRef, id: found.id } : null;
  };
  return {
    ready: () => ready,
    elements: [target.element, shows.element, matches.element, missing.element, reverse.element],
    typeArgument: () => `:${target.input.value}`,
    options: () => ({}),
    shows: () => selected(shows),
    matchesBy: () => selected(matches),
    addsMissing: () => missing.isChecked(),
    showMissing: (count) => missing.show(count, nameOfTable(target.input.value)),
    reverse: () => reverse.change(),
  };
}

async function readColumnsOf(sheet: Sheet, table: string): Promise<readonly ColumnListing[]> {
  try {
    const path = `/api/docs/${sheet.docId}/tables/${encodeURIComponent(table)}/columns`;
    return (await api<{ columns: ColumnListing[] }>(path)).columns;
  } catch {
    return [];
  }
}

/** Offers the columns of the other table after the first option. */
function fillColumns({ input }: SelectInput, columns: readonly ColumnListing[], selected: number): void {
  const nameOf = displayNames(columns);
  const [first] = input.options;
  replaceChildren(
    input,
    first,
    ...columns.map((listing) => {
      const { colRef } = listing.fields;
      return h("option", { value: colRef, selected: colRef === selected, translate: "no" }, nameOf(listing));
    }),
  );
  if (selected === 0) input.value = "";
}

/** Offers to add the rows that a conversion misses. */
function missingRows() {
  const input = h("input", { type: "checkbox" });
  const element = h("label", { hidden: true }, input, h("span", {}));
  return {
    element,
    isChecked: () => !element.hidden && input.checked,
    show(count: number, table: string): void {
      element.hidden = count === 0;
      if (count === 0) input.checked = false;
      const text = t.rich("table.type.addMissing", { count, table: nameElement(table) });
      replaceChildren(find("span", element), ...text);
    },
  };
}
