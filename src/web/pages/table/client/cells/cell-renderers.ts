import { isErrorCell, isList } from "../../../../../values/cell.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { replaceChildren, h, icon, setText } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { type StyleRule, styleOfCell } from "./conditional-styles.ts";
import { drawStyle } from "./draw-style.ts";
import { parseLink } from "./links.ts";
import { choiceColours, drawColours } from "./colours.ts";
import {
  type Column,
  isNumericColumn,
  isInvalidValue,
  listItems,
  referenceTexts,
  cellValue,
} from "../columns/columns.ts";
import type { ErrorDetails } from "./error-words.ts";
import type { MarkdownTexts } from "./markdown-texts.ts";
import type { Thumbnails } from "./thumbnails.ts";

/** Renders cells of records, by column type. */

export interface CellRenderOptions {
  readonly thumbnails: Thumbnails;
  /** Whether the user can edit this column's cells. */
  readonly canEdit: (column: Column) => boolean;
  readonly errors: ErrorDetails;
  /** Renders Markdown: in one line, or in blocks. */
  readonly markdown: { readonly texts: MarkdownTexts; readonly isInline: boolean };
  /** Conditional styles of rows. */
  readonly rowRules: readonly StyleRule[];
}

/** Longer texts are shown in full in the tooltip. */
const MAX_SHORT_LENGTH = 24;

/** Longer texts are read in the row's panel. */
const MAX_SPOKEN_LENGTH = 1000;

/** Renders a cell of the grid; `cell` has no further classes by then. */
export function drawCell(cell: HTMLElement, row: RecordJson, column: Column, look: CellRenderOptions): void {
  cell.setAttribute("aria-readonly", String(!look.canEdit(column)));
  const { style, isFailed } = styleOfCell(row, column, look.rowRules);
  drawStyle(cell, style);
  if (column.options["wrap"] === false) cell.classList.add("one-line");
  drawContent(cell, row, column, look);
  if (isFailed) markFailedRule(cell);
}

/** The mark has a shape, and says in words what it means. */
function markFailedRule(cell: HTMLElement): void {
  const text = t("table.rules.failed");
  cell.classList.add("rule-failed");
  cell.append(h("span", { class: "rule-mark", title: text }, icon("triangle-alert")));
}

function drawContent(cell: HTMLElement, row: RecordJson, column: Column, look: CellRenderOptions): void {
  if (column.isFormula && !column.isEmpty) cell.classList.add("formula");
  const value = cellValue(row, column.id);
  if (isErrorCell(value))
    return drawError(cell, errorOf(row, column), look.errors.textOf(column, row.id, errorOf(row, column)));
  if (Array.isArray(value) && value[0] === "C") return drawCensored(cell);
  if (isInvalidValue(column, value)) {
    cell.classList.add("stray");
    cell.title = t("table.cell.invalid", { text: column.text(row) });
    setText(cell, column.text(row));
    return;
  }
  if (value === null || value === "") {
    cell.replaceChildren();
    return;
  }
  const draw = CELL_RENDERERS[column.type.base] ?? drawText;
  draw(cell, row, { column, look });
  const alignment = column.options["alignment"];
  if (isAlignment(alignment)) cell.classList.add(`align-${alignment}`);
}

/** The name of the error class of a failed cell. */
const errorOf = (row: RecordJson, column: Column): string => row.errors?.[column.id] ?? "Error";

const isAlignment = (value: unknown): value is "left" | "center" | "right" =>
  value === "left" || value === "center" || value === "right";

/** Returns what a cell shows, in words. */
export function valueText(row: RecordJson, column: Column, errors: ErrorDetails): string {
  const value = cellValue(row, column.id);
  if (isErrorCell(value)) return errors.textOf(column, row.id, errorOf(row, column));
  if (Array.isArray(value) && value[0] === "C") return t("table.cell.hidden");
  if (typeof value === "boolean" && column.type.base === "Bool") return t(value ? "table.cell.yes" : "table.cell.no");
  if (column.type.base === "Attachments" && isList(value))
    return t("table.cell.files", { count: listItems(value).length });
  if (value === 0 && column.type.base === "Ref") return t("table.cell.empty");
  const text = column.text(row);
  return text === "" ? t("table.cell.empty") : text.slice(0, MAX_SPOKEN_LENGTH);
}

type CellRenderer = (cell: HTMLElement, row: RecordJson, about: { column: Column; look: CellRenderOptions }) => void;

const drawText: CellRenderer = (cell, row, { column, look }) => {
  const text = column.text(row);
  if (isNumericColumn(column)) cell.classList.add("number");
  const link = column.options["widget"] === "HyperLink" ? parseLink(text) : null;
  if (link) {
    replaceChildren(
      cell,
      h(
        "a",
        // Not a part of the text that the active cell takes, or it could not be followed.
        { href: link.href, target: "_blank", rel: "noopener noreferrer", tabindex: -1, contenteditable: "false" },
        link.label,
        icon("external-link"),
      ),
    );
  } else if (column.options["widget"] === "Markdown") {
    cell.classList.add("markdown");
    if (!look.markdown.texts.draw(cell, text, look.markdown)) setText(cell, text);
  } else setText(cell, text);
  if (text.length > MAX_SHORT_LENGTH) cell.title = text.length > 600 ? `${text.slice(0, 600)}…` : text;
};

const drawBool: CellRenderer = (cell, row, { column }) => {
  const isOn = cellValue(row, column.id) === true;
  cell.classList.add("bool");
  replaceChildren(
    cell,
    column.options["widget"] === "Switch"
      ? h("span", { class: isOn ? "switch on" : "switch" })
      : h("span", { class: isOn ? "check on" : "check" }, isOn && icon("check")),
    h("span", { class: "unseen", translate: "yes" }, isOn ? t("table.cell.yes") : t("table.cell.no")),
  );
};

/** A choice as a pill in its colours. */
export function choicePill(column: Column, choice: string): HTMLElement {
  const element = h("span", { class: "pill", translate: "no" }, choice);
  const colours = choiceColours(column, choice);
  if (colours) {
    drawColours(element, colours);
  } else if (!column.choices.includes(choice)) element.classList.add("unlisted");
  return element;
}

const drawChoice: CellRenderer = (cell, row, { column }) => replaceChildren(cell, choicePill(column, column.text(row)));

const drawChoices: CellRenderer = (cell, row, { column }) => {
  const value = cellValue(row, column.id);
  const texts = isList(value) ? listItems(value).map(String) : [column.text(row)];
  replaceChildren(cell, ...texts.map((text) => choicePill(column, text)));
  cell.title = texts.join(", ");
};

const drawReference: CellRenderer = (cell, row, { column }) => {
  if (cellValue(row, column.id) === 0) return cell.replaceChildren();
  cell.classList.add("ref");
  const text = column.text(row);
  replaceChildren(cell, h("span", { class: "tag" }, text));
  if (text.length > MAX_SHORT_LENGTH) cell.title = text;
};

const drawReferences: CellRenderer = (cell, row, { column }) => {
  const texts = referenceTexts(row, column);
  cell.classList.add("ref");
  replaceChildren(cell, ...texts.map((text) => h("span", { class: "tag" }, text)));
  cell.title = texts.join(", ");
};

const drawAttachments: CellRenderer = (cell, row, { column, look }) => {
  const ids = listItems(cellValue(row, column.id)).map(Number);
  cell.classList.add("files");
  replaceChildren(cell, ...ids.map((id) => look.thumbnails.createElement(id, { rowId: row.id, colId: column.id })));
};

const CELL_RENDERERS: Readonly<Record<string, CellRenderer>> = {
  Bool: drawBool,
  Choice: drawChoice,
  ChoiceList: drawChoices,
  Ref: drawReference,
  RefList: drawReferences,
  Attachments: drawAttachments,
};

function drawError(cell: HTMLElement, name: string, text: string): void {
  cell.classList.add("failed");
  // Narrow columns cut the words.
  cell.title = `${text} (${name})`;
  replaceChildren(cell, icon("triangle-alert"), h("span", { translate: "yes" }, text));
}

function drawCensored(cell: HTMLElement): void {
  cell.classList.add("censored");
  cell.title = t("table.cell.hiddenTooltip");
  replaceChildren(cell, icon("lock"), h("span", { class: "unseen", translate: "yes" }, t("table.cell.hidden")));
}
