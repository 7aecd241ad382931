import { fill, h, icon } from "../base/dom.ts";
import type { IconName } from "../../icons.ts";
import type { Column } from "./columns.ts";
import type { SortKey } from "./view.ts";

/** What types are called, and the sign that stands for each; an empty one is drawn, as not every font has it. */
export const TYPES: readonly { readonly base: string; readonly name: string; readonly sign: string }[] = [
  { base: "Text", name: "Text", sign: "Aa" },
  { base: "Numeric", name: "Number", sign: "1.5" },
  { base: "Int", name: "Whole number", sign: "123" },
  { base: "Bool", name: "Yes or no", sign: "☑" },
  { base: "Date", name: "Date", sign: "31" },
  { base: "DateTime", name: "Date and time", sign: "31:" },
  { base: "Choice", name: "Choice", sign: "◉" },
  { base: "ChoiceList", name: "Several choices", sign: "◉◉" },
  { base: "Ref", name: "Reference", sign: "→" },
  { base: "RefList", name: "Several references", sign: "⇉" },
  { base: "Attachments", name: "Files", sign: "" },
  { base: "Any", name: "Anything", sign: "∗" },
];

export const typeName = (base: string): string => TYPES.find((type) => type.base === base)?.name ?? base;

export interface HeadLook {
  readonly sort: SortKey | undefined;
  readonly isFiltered: boolean;
  readonly openMenu: (button: HTMLElement) => void;
}

/** The head of a column: its name, what kind it is, how it is sorted, and its menu. */
export function drawHead(cell: HTMLElement, column: Column, { sort, isFiltered, openMenu }: HeadLook): void {
  const kind = typeName(column.type.base);
  const isComputed = column.isFormula && !column.isEmpty;
  const sign = TYPES.find(({ base }) => base === column.type.base)?.sign ?? "∗";
  cell.title = `${column.name} (${isComputed ? "formula, " : ""}${kind.toLowerCase()})${column.description && `\n${column.description}`}`;
  cell.setAttribute(
    "aria-label",
    `${column.name}, ${isComputed ? "formula, " : ""}${kind.toLowerCase()}${isFiltered ? ", filtered" : ""}`,
  );
  const mark: IconName | null = sort ? (sort.isDescending ? "descending" : "ascending") : null;
  const button = h(
    "button",
    {
      type: "button",
      class: "bare column-menu",
      tabindex: -1,
      "aria-label": `Menu of ${column.name}`,
      "aria-haspopup": "menu",
      onclick: (event) => {
        event.stopPropagation();
        openMenu(button);
      },
    },
    icon("down"),
  );
  fill(
    cell,
    h(
      "span",
      { class: isComputed ? "sign formula" : "sign", "aria-hidden": "true" },
      isComputed ? "ƒ" : sign || icon("document"),
    ),
    h("span", { class: "name" }, column.name),
    mark && h("span", { class: "mark" }, icon(mark)),
    isFiltered && h("span", { class: "mark" }, icon("filter")),
    button,
  );
}
