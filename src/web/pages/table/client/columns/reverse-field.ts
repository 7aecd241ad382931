import { tableUrl } from "../tables/table-url.ts";
import type { ColumnListing } from "../../../../base/table-data.ts";
import { h, nameElement, replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { titleOf } from "../../../../base/table-titles.ts";
import { type Column, displayNames } from "./columns.ts";
import type { Sheet } from "../sheet.ts";
import type { ReverseChange } from "./type-fields.ts";

export interface ReverseField {
  readonly element: HTMLElement;
  /** Shows the reverse column in the selected table, or offers one. */
  show(other: { table: string; columns: readonly ColumnListing[] }): void;
  /** Returns what is to change; null for nothing. */
  change(): ReverseChange | null;
}

/**
 * A field for the column of the other table that shows the rows of a reference.
 * @param column has the ref 0 before it is added
 */
export function reverseField(sheet: Sheet, column: Pick<Column, "ref" | "type">): ReverseField {
  const reverseRef = sheet.data.columns.find(({ fields }) => fields.colRef === column.ref)?.fields.reverseCol ?? 0;
  const element = h("div", { class: "reverse-field" });
  const wanted = h("input", { type: "checkbox" });
  const name = h("input", {
    type: "text",
    value: titleOf(t, sheet.table, sheet.data.tables),
    maxlength: 1000,
    autocomplete: "off",
  });
  const nameLabel = h("label", { hidden: true }, t("table.type.reverse.name"), name);
  wanted.addEventListener("change", () => (nameLabel.hidden = !wanted.checked));
  const isSummary = (table: string) => sheet.data.tables.some(({ id, sourceRef }) => id === table && sourceRef > 0);
  let isLinked = reverseRef > 0;
  const offer = (table: string) => {
    const text = t.rich("table.type.reverse", { table: nameElement(titleOf(t, table, sheet.data.tables)) });
    replaceChildren(element, h("label", {}, wanted, h("span", {}, ...text)), nameLabel);
  };
  const showLinked = (table: string, columns: readonly ColumnListing[]) => {
    const listing = columns.find(({ fields }) => fields.colRef === reverseRef);
    // Access rules may hide it.
    if (!listing) return replaceChildren(element);
    const text = t.rich("table.type.reverse.linked", {
      table: nameElement(titleOf(t, table, sheet.data.tables)),
      column: h("a", { href: tableUrl(sheet.docId, table), translate: "no" }, displayNames(columns)(listing)),
    });
    const stop = h("button", { type: "button", class: "plain small" }, t("table.type.reverse.stop"));
    stop.addEventListener("click", () => {
      isLinked = false;
      offer(table);
      wanted.focus();
      // As if typed, so that the panel knows of unsaved changes.
      element.dispatchEvent(new Event("input", { bubbles: true }));
    });
    replaceChildren(element, h("p", {}, ...text), stop);
  };
  return {
    element,
    show({ table, columns }) {
      if (reverseRef > 0) isLinked = table === column.type.target;
      // Formulas and the columns that a summary groups by have no other direction.
      if (sheet.isSummary || isSummary(table)) replaceChildren(element);
      else if (isLinked) showLinked(table, columns);
      else offer(table);
    },
    change() {
      const isAdded = wanted.isConnected && wanted.checked;
      if (!isAdded && (reverseRef === 0 || isLinked)) return null;
      return { stops: reverseRef > 0, adds: isAdded ? name.value.trim() : null };
    },
  };
}
