import { h, newId } from "../dom.ts";
import { t } from "../texts.ts";

interface GridParts {
  readonly head: readonly HTMLElement[];
  readonly body: HTMLElement;
}

/** Creates the scroll container of a grid, and its table, which contains rows only, as `role="grid"` requires. */
export function gridElements(
  label: string,
  { head, body }: GridParts,
): { readonly element: HTMLElement; readonly table: HTMLElement } {
  const headGroup = h("div", { role: "rowgroup", class: "head-group" }, ...head);
  const description = h("p", { id: newId("grid-keys"), hidden: true }, t("base.grid.keys"));
  const table = h(
    "div",
    {
      role: "grid",
      "aria-label": label,
      "aria-describedby": description.id,
      "aria-multiselectable": "true",
    },
    headGroup,
    body,
  );
  return { table, element: h("div", { class: "grid" }, table, description) };
}
