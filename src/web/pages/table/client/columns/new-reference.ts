/** The fields of a new reference: its table, and whether that table shows the other direction. */
import { columnType } from "../../../../../values/column-type.ts";
import { h } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { titleOf } from "../../../../base/table-titles.ts";
import type { Sheet } from "../sheet.ts";
import { reverseField } from "./reverse-field.ts";
import { dataSelect } from "./select-inputs.ts";

export interface NewReference {
  readonly element: HTMLElement;
  target(): string;
  /** The label of the reverse column; empty for the default, null for none. */
  reverse(): string | null;
}

export function newReference(sheet: Sheet, target: string): NewReference {
  const { tables } = sheet.data;
  const ids = tables.map(({ id }) => id);
  const table = dataSelect(t("table.type.target"), target, ids, (id) => titleOf(t, id, tables));
  const reverse = reverseField(sheet, { ref: 0, type: columnType("Ref") });
  const show = () => reverse.show({ table: table.input.value, columns: [] });
  table.input.addEventListener("change", show);
  show();
  return {
    element: h("div", { class: "new-reference" }, table.element, reverse.element),
    target: () => table.input.value,
    reverse: () => reverse.change()?.adds ?? null,
  };
}
