/** The field of a condition's column: those of the table, and of rows that its references point to. */
import { h } from "../../../../../base/client/dom.ts";
import { t } from "../../../../../base/client/texts.ts";
import type { Sheet } from "../../sheet.ts";

/** @param path the chosen column */
export function fieldSelect(sheet: Sheet, path: string, changed: (path: string) => void): HTMLSelectElement {
  const option = (value: string, name: string): HTMLElement =>
    h("option", { value, selected: value === path, translate: "no" }, name);
  const own = sheet.columns.map(({ id, name }) => option(id, name));
  const referenced = sheet.columns.flatMap(({ id, name, type }) => {
    const columns = type.target === undefined || type.target === null ? null : sheet.fields.columnsOf(type.target);
    if (!columns || columns.length === 0) return [];
    const options = columns.map((column) => option(`${id}.${column.id}`, `${name} › ${column.name}`));
    return [h("optgroup", { label: name, translate: "no" }, ...options)];
  });
  const isListed = [...own, ...referenced.flatMap((group) => [...group.children])].some(
    (each) => each instanceof HTMLOptionElement && each.value === path,
  );
  // Paths through several references come from addresses.
  const other = isListed ? null : option(path, sheet.fields.find(path)?.name ?? path);
  const select = h("select", { "aria-label": t("table.filter.column") }, other, ...own, ...referenced);
  select.addEventListener("change", () => changed(select.value));
  return select;
}
