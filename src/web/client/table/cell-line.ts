import { fill, h, icon } from "../base/dom.ts";
import { isError } from "../../../values/cell.ts";
import type { Place } from "../grid/selection.ts";
import { type Column, isStray, valueOf } from "./columns.ts";
import { readErrors } from "./formula-field.ts";
import { typeName } from "./heads.ts";
import type { Sheet } from "./sheet.ts";

/** Says at the foot of the grid what the active cell cannot say by itself: why it failed, or does not fit. */
export function attachCellLine(sheet: Sheet, host: HTMLElement): (place: Place) => void {
  const line = h("div", { class: "cell-line", role: "status", hidden: true });
  host.append(line);
  let asked = 0;
  return ({ row: index, column: at }) => {
    const turn = ++asked;
    const column = sheet.shown[at];
    const row = sheet.pages.at(index);
    const show = (text: string | null) => {
      if (turn !== asked) return;
      line.hidden = text === null;
      fill(line, text !== null && icon("warning"), text);
    };
    if (!column || !row) return show(null);
    const value = valueOf(row, column.id);
    if (isStray(column, value)) return show(strayText(column, column.text(row)));
    if (!isError(value)) return show(null);
    const name = row.errors?.[column.id] ?? "Error";
    show(name);
    const tell = async () => show(await explain(sheet, { column, rowId: row.id, name }));
    void tell();
  };
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
