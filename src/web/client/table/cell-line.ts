import { fill, h, icon } from "../base/dom.ts";
import { isErrorCell } from "../../../values/cell.ts";
import type { Place } from "../grid/selection.ts";
import { type Column, isStray, valueOf } from "./columns.ts";
import { readErrors } from "./formula-field.ts";
import { typeName } from "../../type-names.ts";
import type { Sheet } from "./sheet.ts";

/** Says at the foot of the grid what the active cell cannot say by itself: why it failed, or does not fit. */
export function attachCellLine(sheet: Sheet, host: HTMLElement): (place: Place) => void {
  const line = h("div", { class: "cell-line", role: "status", hidden: true });
  host.append(line);
  // Toasts stand above it, however many lines it has.
  const style = document.documentElement.style;
  new ResizeObserver(() => style.setProperty("--cell-line", `${line.offsetHeight}px`)).observe(line);
  let asked = 0;
  let described = "";
  const describe = ({ row: index, column: at }: Place) => {
    const column = sheet.shown[at];
    const row = sheet.pages.at(index);
    const value = column && row ? valueOf(row, column.id) : null;
    const isFailed = isErrorCell(value);
    const key = JSON.stringify([column?.ref, column?.type.text, isFailed && column?.formula, row?.id, value]);
    if (key === described) return;
    described = key;
    const turn = ++asked;
    const show = (text: string | null) => {
      if (turn !== asked) return;
      line.hidden = text === null;
      fill(line, text !== null && icon("warning"), text);
    };
    if (!column || !row) return show(null);
    if (isStray(column, value)) return show(strayText(column, column.text(row)));
    if (!isFailed) return show(null);
    const name = row.errors?.[column.id] ?? "Error";
    show(name);
    const tell = async () => show(await explain(sheet, { column, rowId: row.id, name }));
    void tell();
  };
  // The cell may be mended, or fail, without the person leaving it.
  sheet.onChange(() => describe(sheet.grid.selection.active));
  return describe;
}

const strayText = (column: Column, text: string): string =>
  `“${text}” is kept as text: it does not fit the type of the column (${typeName(column.type.base).toLowerCase()}).`;

/** The error in plain words, as far as the person may know them. */
async function explain(
  sheet: Sheet,
  { column, rowId, name }: { column: Column; rowId: number; name: string },
): Promise<string> {
  const errors = await readErrors(sheet, column.id).catch(() => []);
  const found = errors.find((error) => error.row === rowId);
  if (!found) return name;
  return `${found.message}${found.detail ? ` (${name}: ${found.detail})` : ""}`;
}
