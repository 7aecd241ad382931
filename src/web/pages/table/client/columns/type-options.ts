import type { ColumnListing } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { replaceChildren, h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { titleOf } from "../../../../base/table-titles.ts";
import { choiceFields } from "./choice-fields.ts";
import { type Column, displayNames } from "./columns.ts";
import type { Sheet } from "../sheet.ts";
import { boolFields, dateFields, numberFields, textFields, withAlignment } from "./format-fields.ts";
import { dataSelect, selectInput } from "./select-inputs.ts";
import type { TypeFields } from "./type-fields.ts";

const NO_FIELDS: TypeFields = { elements: [], typeArgument: () => "", options: () => ({}) };

/** Creates the fields for a type, with the column's current options. */
export function typeFields(base: string, sheet: Sheet, column: Column): TypeFields {
  switch (base) {
    case "Choice":
    case "ChoiceList":
      return withAlignment(choiceFields(sheet, column), column);
    case "Ref":
    case "RefList":
      return withAlignment(referenceFields(sheet, column), column);
    case "Numeric":
    case "Int":
      return withAlignment(numberFields(base, column, sheet.data.settings), column);
    case "Date":
    case "DateTime":
      return withAlignment(dateFields(base, column, sheet.data.settings), column);
    case "Text":
      return withAlignment(textFields(column), column);
    case "Bool":
      return boolFields(column);
    case "Any":
      return withAlignment(NO_FIELDS, column);
    default:
      return NO_FIELDS;
  }
}

function referenceFields(sheet: Sheet, column: Column): TypeFields {
  const tables = sheet.data.tables.map(({ id }) => id);
  const nameOfTable = (id: string): string => titleOf(t, id, sheet.data.tables);
  const target = dataSelect(t("table.type.target"), column.type.target ?? tables[0] ?? "", tables, nameOfTable);
  const shows = selectInput(t("table.type.shows"), "", { "": t("table.type.rowId") });
  let targetColumns: readonly ColumnListing[] = [];
  const load = async () => {
    const path = `/api/docs/${sheet.docId}/tables/${encodeURIComponent(target.input.value)}/columns`;
    try {
      const { columns } = await api<{ columns: ColumnListing[] }>(path);
      targetColumns = columns;
    } catch {
      targetColumns = [];
    }
    const isSame = target.input.value === column.type.target;
    // Defaults to the first column of the other table.
    const now = isSame ? column.visibleRef : (targetColumns[0]?.fields.colRef ?? 0);
    const nameOf = displayNames(targetColumns);
    replaceChildren(
      shows.input,
      h("option", { value: "" }, t("table.type.rowId")),
      ...targetColumns.map((listing) =>
        h(
          "option",
          { value: listing.fields.colRef, selected: listing.fields.colRef === now, translate: "no" },
          nameOf(listing),
        ),
      ),
    );
  };
  let ready = load();
  target.input.addEventListener("input", () => {
    ready = load();
  });
  return {
    ready: () => ready,
    elements: [target.element, shows.element],
    typeArgument: () => `:${target.input.value}`,
    options: () => ({}),
    shows() {
      const found = targetColumns.find(({ fields }) => String(fields.colRef) === shows.input.value);
      return found ? { ref: found.fields.colRef, id: found.id } : null;
    },
  };
}
