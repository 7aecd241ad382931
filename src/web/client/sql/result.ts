/** What a query answered, as a grid that draws what is in view. */
import { openDialog } from "../base/dialog.ts";
import { fill, h, setText } from "../base/dom.ts";
import { Grid, type GridColumn } from "../grid/grid.ts";
import { attachControls } from "../grid/keys.ts";
import { type SqlValue, textOf } from "./csv.ts";

export interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

const ROW_HEIGHT_PX = 34;
const NARROWEST_PX = 80;
const WIDEST_PX = 340;
const CHARACTER_PX = 9;
/** How many rows say how wide a column is. */
const LOOKED_AT = 50;
/** Nobody reads more in a cell. */
const SHOWN_CHARACTERS = 300;

type Row = Result["rows"][number];

/** Shows a result in place of the one before. */
export function showResult(place: HTMLElement, { columns, rows }: Result): void {
  if (rows.length === 0) {
    fill(place, h("p", { class: "quiet result-none" }, "The query found no rows."));
    return;
  }
  const host = h("div", { class: "grid-host" });
  fill(place, host);
  const widths = columns.map((name, at) => widthOf(name, rows, at));
  const source = { count: rows.length, at: (index: number) => rows[index], want() {} };
  const grid = new Grid<Row>({
    host,
    label: "Result of the query",
    source,
    rowHeight: ROW_HEIGHT_PX,
    onResize(column, width) {
      widths[column] = width;
      grid.setColumns(looks(columns, widths));
    },
  });
  grid.setColumns(looks(columns, widths));
  const show = () => showCell({ columns, rows }, grid.selection.active);
  const nothing = () => {};
  const commands = { edit: show, clear: nothing, menu: nothing, open: nothing, undo: nothing, redo: nothing };
  attachControls(grid, { ...commands, addRow: nothing, removeRows: nothing }, () => rows.length);
  grid.element.addEventListener("copy", (event) => {
    const { top, bottom, left, right } = grid.selection.area(columns.length);
    const chosen = rows.slice(Math.max(0, top), bottom + 1).map((row) => row.slice(left, right + 1).map(tabbed));
    event.clipboardData?.setData("text/plain", chosen.map((cells) => cells.join("\t")).join("\n"));
    event.preventDefault();
  });
}

const looks = (columns: readonly string[], widths: readonly number[]): GridColumn<Row>[] =>
  columns.map((name, at) => ({
    id: String(at),
    width: widths[at] ?? NARROWEST_PX,
    head(cell) {
      cell.title = name;
      fill(cell, h("span", { class: "name" }, name));
    },
    draw: (cell, row) => drawCell(cell, row[at] ?? null),
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
    setText(cell, `${value.data.length} bytes`);
    return;
  }
  const text = String(value);
  setText(cell, text.slice(0, SHOWN_CHARACTERS));
}

function widthOf(name: string, rows: Result["rows"], at: number): number {
  let longest = name.length + 2;
  for (const row of rows.slice(0, LOOKED_AT)) {
    const value = row[at] ?? null;
    longest = Math.max(longest, typeof value === "object" ? 8 : String(value).length);
  }
  return Math.min(WIDEST_PX, Math.max(NARROWEST_PX, Math.ceil(longest * CHARACTER_PX) + 20));
}

/** A cell's whole text, which may be long. */
function showCell({ columns, rows }: Result, { row, column }: { row: number; column: number }): void {
  const value = rows[row]?.[column];
  if (value === undefined) return;
  const text = value === null ? "NULL" : textOf(value);
  const title = `${columns[column] ?? ""}, row ${row + 1}`;
  openDialog({ title, wide: text.length > 200, content: [h("pre", { class: "whole", tabindex: 0 }, text)] });
}

/** For spreadsheets, which take rows apart at line ends and tabulators. */
const tabbed = (value: SqlValue): string => {
  const text = textOf(value);
  return /["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
