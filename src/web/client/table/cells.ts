import { isErrorCell, isList } from "../../../values/cell.ts";
import type { RecordJson } from "../../table-data.ts";
import { fill, h, icon, setText } from "../base/dom.ts";
import { choiceColours } from "./colours.ts";
import { type Column, isNumber, isStray, itemsOf, shownItems, valueOf } from "./columns.ts";
import type { Thumbnails } from "./thumbnails.ts";

/** Shows the cells of records, by the types of their columns. */

export interface CellLook {
  readonly thumbnails: Thumbnails;
  /** Whether the person may change this column's cells. */
  readonly mayEdit: (column: Column) => boolean;
}

/** Longer texts are told in full when one points at them. */
const SHORT = 24;

/** Fills a cell of the grid; `cell` has no classes but its own by then. */
export function drawCell(cell: HTMLElement, row: RecordJson, column: Column, look: CellLook): void {
  cell.setAttribute("aria-readonly", String(!look.mayEdit(column)));
  if (column.isFormula && !column.isEmpty) cell.classList.add("formula");
  const value = valueOf(row, column.id);
  if (isErrorCell(value)) return drawError(cell, row.errors?.[column.id] ?? "Error", column.text(row));
  if (Array.isArray(value) && value[0] === "C") return drawCensored(cell);
  if (isStray(column, value)) {
    cell.classList.add("stray");
    cell.title = `“${column.text(row)}” does not fit the type of the column`;
    setText(cell, column.text(row));
    return;
  }
  if (value === null || value === "") {
    cell.replaceChildren();
    return;
  }
  const draw = DRAW[column.type.base] ?? drawText;
  draw(cell, row, { column, look });
}

type Draw = (cell: HTMLElement, row: RecordJson, about: { column: Column; look: CellLook }) => void;

const drawText: Draw = (cell, row, { column }) => {
  const text = column.text(row);
  if (isNumber(column)) cell.classList.add("number");
  const link = column.options["widget"] === "HyperLink" ? linkIn(text) : null;
  if (link) {
    fill(cell, h("a", { href: link.href, target: "_blank", rel: "noopener noreferrer", tabindex: -1 }, link.label));
  } else setText(cell, text);
  if (text.length > SHORT) cell.title = text.length > 600 ? `${text.slice(0, 600)}…` : text;
};

/** A column of links has texts such as `Quern https://quern.example`. */
function linkIn(text: string): { label: string; href: string } | null {
  const [, label = "", href = ""] = /^(.*?)\s*(https?:\/\/\S+)$/s.exec(text.trim()) ?? [];
  return href ? { label: label || href, href } : null;
}

const drawBool: Draw = (cell, row, { column }) => {
  const isOn = valueOf(row, column.id) === true;
  cell.classList.add("bool");
  fill(
    cell,
    h("span", { class: isOn ? "check on" : "check" }, isOn && icon("check")),
    h("span", { class: "unseen" }, isOn ? "Yes" : "No"),
  );
};

/** A choice as a pill in its colours. */
export function pill(column: Column, choice: string): HTMLElement {
  const element = h("span", { class: "pill" }, choice);
  const colours = choiceColours(column, choice);
  if (colours) {
    element.style.backgroundColor = colours.fill;
    element.style.color = colours.text;
  } else if (!column.choices.includes(choice)) element.classList.add("unlisted");
  return element;
}

const drawChoice: Draw = (cell, row, { column }) => fill(cell, pill(column, column.text(row)));

const drawChoices: Draw = (cell, row, { column }) => {
  const value = valueOf(row, column.id);
  const texts = isList(value) ? itemsOf(value).map(String) : [column.text(row)];
  fill(cell, ...texts.map((text) => pill(column, text)));
  cell.title = texts.join(", ");
};

const drawReference: Draw = (cell, row, { column }) => {
  if (valueOf(row, column.id) === 0) return cell.replaceChildren();
  cell.classList.add("ref");
  setText(cell, column.text(row));
};

const drawReferences: Draw = (cell, row, { column }) => {
  const texts = shownItems(row, column);
  cell.classList.add("ref");
  fill(cell, ...texts.map((text) => h("span", { class: "pill unlisted" }, text)));
  cell.title = texts.join(", ");
};

const drawAttachments: Draw = (cell, row, { column, look }) => {
  const ids = itemsOf(valueOf(row, column.id)).map(Number);
  cell.classList.add("files");
  fill(cell, ...ids.map((id) => look.thumbnails.make(id, { rowId: row.id, colId: column.id })));
};

const DRAW: Readonly<Record<string, Draw>> = {
  Bool: drawBool,
  Choice: drawChoice,
  ChoiceList: drawChoices,
  Ref: drawReference,
  RefList: drawReferences,
  Attachments: drawAttachments,
};

function drawError(cell: HTMLElement, name: string, text: string): void {
  cell.classList.add("failed");
  cell.title = name;
  fill(cell, icon("warning"), text);
}

function drawCensored(cell: HTMLElement): void {
  cell.classList.add("censored");
  cell.title = "Access rules keep this cell from you";
  fill(cell, icon("lock"), h("span", { class: "unseen" }, "Kept from you by access rules"));
}
