/** The result of a query as a virtualized grid. */
import { openDialog } from "../../../base/client/dialog.ts";
import { replaceChildren, h, nameElement, setText } from "../../../base/client/dom.ts";
import { Grid, type GridColumn } from "../../../base/client/grid/grid.ts";
import { attachGridControls } from "../../../base/client/grid/controls.ts";
import type { CellCommand } from "../../../base/client/grid/grid-keys.ts";
import { t } from "../../../base/client/texts.ts";
import { type SqlValue, valueText } from "./csv.ts";

export interface ResultColumn {
  readonly name: string;
  /** The table and the column of which its values are cells; null for other values. */
  readonly table: string | null;
  readonly column: string | null;
}

export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Returns the text of a value; undefined for a value that is shown as it is stored. */
export type CellFormat = (value: SqlValue) => string | undefined;

/** The formats by column; they arrive after the result. */
export type ResultFormats = readonly (CellFormat | undefined)[];

/** A result that is shown. */
export interface ShownResult {
  setFormats(formats: ResultFormats): void;
}

/** Returns the text of a value as the result shows it; NULL is empty. */
export const shownText = (format: CellFormat | undefined, value: SqlValue): string =>
  (value === null ? undefined : format?.(value)) ?? valueText(value);

const ROW_HEIGHT_PX = 34;
const MIN_COLUMN_PX = 80;
const MAX_COLUMN_PX = 340;
const CHARACTER_PX = 9;
/** Number of rows that determine the column widths. */
const MEASURED_ROWS = 50;
/** Longer texts are cut in cells. */
const MAX_CELL_CHARACTERS = 300;

type Row = QueryResult["rows"][number];

/** Replaces the previous result. */
export function showResult(container: HTMLElement, { columns, rows }: QueryResult): ShownResult {
  if (rows.length === 0) {
    replaceChildren(container, h("p", { class: "quiet result-none" }, t("sql.noResults")));
    return { setFormats() {} };
  }
  let formats: ResultFormats = [];
  const textOf = (row: number, column: number): string => {
    const value = rows[row]?.[column] ?? null;
    return value === null ? "NULL" : shownText(formats[column], value);
  };
  const host = h("div", { class: "grid-host" });
  replaceChildren(container, host);
  const resized = new Map<number, number>();
  const widthOf = (at: number) => resized.get(at) ?? columnWidth(columns[at]?.name ?? "", rows, at, textOf);
  const source = { count: rows.length, rowAt: (index: number) => rows[index], requestRows() {} };
  const grid = new Grid<Row>({
    host,
    label: t("sql.grid"),
    source,
    rowHeight: ROW_HEIGHT_PX,
    describeCell: ({ row, column }) => {
      const text = textOf(row, column).slice(0, MAX_CELL_CHARACTERS);
      return { label: t("base.grid.cell", { column: columns[column]?.name ?? "", value: text }), errorId: null };
    },
    onResize(column, width) {
      resized.set(column, width);
      showColumns();
    },
  });
  const showColumns = () => grid.setColumns(gridColumns(columns, { widthOf, formats }));
  showColumns();
  const show = () => {
    const { row, column } = grid.selection.active;
    const value = rows[row]?.[column];
    if (value !== undefined)
      showCellDialog({ name: columns[column]?.name ?? "", row, value, shown: textOf(row, column) });
  };
  const run = (command: CellCommand) => {
    const isOpening = command === "edit" || command === "openRow" || command === "toggle";
    if (isOpening) show();
    return isOpening;
  };
  attachGridControls(grid, { edit: show, openMenu() {}, openRow: show, run }, () => rows.length);
  grid.element.addEventListener("copy", (event) => {
    const { top, bottom, left, right } = grid.selection.range(columns.length);
    const chosen = rows
      .slice(Math.max(0, top), bottom + 1)
      .map((row) => row.slice(left, right + 1).map((value, at) => tsvCell(shownText(formats[left + at], value))));
    event.clipboardData?.setData("text/plain", chosen.map((cells) => cells.join("\t")).join("\n"));
    event.preventDefault();
  });
  return {
    setFormats(read) {
      formats = read;
      showColumns();
    },
  };
}

interface ColumnOptions {
  readonly widthOf: (at: number) => number;
  readonly formats: ResultFormats;
}

const gridColumns = (columns: readonly ResultColumn[], { widthOf, formats }: ColumnOptions): GridColumn<Row>[] =>
  columns.map(({ name }, at) => ({
    id: String(at),
    width: widthOf(at),
    drawHeader(cell) {
      cell.title = name;
      cell.translate = false;
      replaceChildren(cell, h("span", { class: "name", translate: "no" }, name));
    },
    drawCell: (cell, row) => drawCell(cell, row[at] ?? null, formats[at]),
  }));

function drawCell(cell: HTMLElement, value: SqlValue, format: CellFormat | undefined): void {
  if (value === null) {
    cell.classList.add("nothing");
    setText(cell, "NULL");
    return;
  }
  const formatted = format?.(value);
  if (formatted === undefined && typeof value === "object") {
    cell.classList.add("nothing");
    setText(cell, t("base.size.bytes", { count: value.data.length }));
    return;
  }
  if (typeof value === "number") cell.classList.add("number");
  setText(cell, (formatted ?? valueText(value)).slice(0, MAX_CELL_CHARACTERS));
}

function columnWidth(
  name: string,
  rows: QueryResult["rows"],
  at: number,
  textOf: (row: number, column: number) => string,
): number {
  let longest = name.length + 2;
  for (const [index, row] of rows.slice(0, MEASURED_ROWS).entries()) {
    const isBytes = typeof row[at] === "object" && row[at] !== null;
    longest = Math.max(longest, isBytes ? 8 : textOf(index, at).length);
  }
  return Math.min(MAX_COLUMN_PX, Math.max(MIN_COLUMN_PX, Math.ceil(longest * CHARACTER_PX) + 20));
}

interface CellContent {
  /** Of the column. */
  readonly name: string;
  readonly row: number;
  readonly value: SqlValue;
  readonly shown: string;
}

/** The full text of a cell, which may be long, and the value that is stored. */
function showCellDialog({ name, row, value, shown }: CellContent): void {
  const stored = value === null ? "NULL" : valueText(value);
  openDialog({
    title: t("sql.cell", { column: name, row: row + 1 }),
    wide: shown.length > 200,
    content: [
      h("pre", { class: "whole", tabindex: 0, translate: "no" }, shown),
      ...(stored === shown
        ? []
        : [h("p", { class: "quiet" }, ...t.rich("sql.cell.stored", { value: nameElement(stored) }))]),
    ],
  });
}

/** For spreadsheets, which split rows at line ends and tabs. */
const tsvCell = (text: string): string => (/["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
