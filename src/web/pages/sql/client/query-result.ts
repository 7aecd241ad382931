/** The result of a query as a virtualized grid. */
import { openDialog } from "../../../base/client/dialog.ts";
import { replaceChildren, h, setText } from "../../../base/client/dom.ts";
import { Grid, type GridColumn } from "../../../base/client/grid/grid.ts";
import { attachGridControls } from "../../../base/client/grid/controls.ts";
import type { CellCommand } from "../../../base/client/grid/grid-keys.ts";
import { t } from "../../../base/client/texts.ts";
import { type SqlValue, valueText } from "./csv.ts";

export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

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
export function showResult(container: HTMLElement, { columns, rows }: QueryResult): void {
  if (rows.length === 0) {
    replaceChildren(container, h("p", { class: "quiet result-none" }, t("sql.noResults")));
    return;
  }
  const host = h("div", { class: "grid-host" });
  replaceChildren(container, host);
  const widths = columns.map((name, at) => columnWidth(name, rows, at));
  const source = { count: rows.length, rowAt: (index: number) => rows[index], requestRows() {} };
  const grid = new Grid<Row>({
    host,
    label: t("sql.grid"),
    source,
    rowHeight: ROW_HEIGHT_PX,
    describeCell: ({ row, column }) => {
      const value = rows[row]?.[column] ?? null;
      const text = value === null ? "NULL" : valueText(value).slice(0, MAX_CELL_CHARACTERS);
      return { label: t("base.grid.cell", { column: columns[column] ?? "", value: text }), errorId: null };
    },
    onResize(column, width) {
      widths[column] = width;
      grid.setColumns(gridColumns(columns, widths));
    },
  });
  grid.setColumns(gridColumns(columns, widths));
  const show = () => showCellDialog({ columns, rows }, grid.selection.active);
  const run = (command: CellCommand) => {
    const isOpening = command === "edit" || command === "openRow" || command === "toggle";
    if (isOpening) show();
    return isOpening;
  };
  attachGridControls(grid, { edit: show, openMenu() {}, openRow: show, run }, () => rows.length);
  grid.element.addEventListener("copy", (event) => {
    const { top, bottom, left, right } = grid.selection.range(columns.length);
    const chosen = rows.slice(Math.max(0, top), bottom + 1).map((row) => row.slice(left, right + 1).map(tsvCell));
    event.clipboardData?.setData("text/plain", chosen.map((cells) => cells.join("\t")).join("\n"));
    event.preventDefault();
  });
}

const gridColumns = (columns: readonly string[], widths: readonly number[]): GridColumn<Row>[] =>
  columns.map((name, at) => ({
    id: String(at),
    width: widths[at] ?? MIN_COLUMN_PX,
    drawHeader(cell) {
      cell.title = name;
      cell.translate = false;
      replaceChildren(cell, h("span", { class: "name", translate: "no" }, name));
    },
    drawCell: (cell, row) => drawCell(cell, row[at] ?? null),
  }));

function drawCell(cell: HTMLElement, value: SqlValue): void {
  if (value === null) {
    cell.classList.add("nothing");
    setText(cell, "NULL");
    return;
  }
  if (typeof value === "number") cell.classList.add("number");
  if (typeof value === "object") {
    cell.classList.add("nothing");
    setText(cell, t("base.size.bytes", { count: value.data.length }));
    return;
  }
  const text = String(value);
  setText(cell, text.slice(0, MAX_CELL_CHARACTERS));
}

function columnWidth(name: string, rows: QueryResult["rows"], at: number): number {
  let longest = name.length + 2;
  for (const row of rows.slice(0, MEASURED_ROWS)) {
    const value = row[at] ?? null;
    longest = Math.max(longest, typeof value === "object" ? 8 : String(value).length);
  }
  return Math.min(MAX_COLUMN_PX, Math.max(MIN_COLUMN_PX, Math.ceil(longest * CHARACTER_PX) + 20));
}

/** The full text of a cell, which may be long. */
function showCellDialog({ columns, rows }: QueryResult, { row, column }: { row: number; column: number }): void {
  const value = rows[row]?.[column];
  if (value === undefined) return;
  const text = value === null ? "NULL" : valueText(value);
  const title = t("sql.cell", { column: columns[column] ?? "", row: row + 1 });
  openDialog({
    title,
    wide: text.length > 200,
    content: [h("pre", { class: "whole", tabindex: 0, translate: "no" }, text)],
  });
}

/** For spreadsheets, which split rows at line ends and tabs. */
const tsvCell = (value: SqlValue): string => {
  const text = valueText(value);
  return /["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
