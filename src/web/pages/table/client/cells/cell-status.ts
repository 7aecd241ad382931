import { englishElement, replaceChildren, h, icon, nameElement, type Child } from "../../../../base/client/dom.ts";
import { isErrorCell } from "../../../../../values/cell.ts";
import type { CellPosition } from "../../../../base/client/grid/selection.ts";
import { type Column, isInvalidValue, cellValue } from "../columns/columns.ts";
import { fetchCellErrors } from "../columns/formula-errors.ts";
import { t } from "../../../../base/client/texts.ts";
import { typeName } from "../../../../base/type-names.ts";
import { cellErrorText } from "./error-words.ts";
import type { Sheet } from "../sheet.ts";
import { openWhy } from "../why/open-why.ts";

/** The status line of the active cell: formula errors and values that do not fit the type. */
export function attachCellStatus(sheet: Sheet, host: HTMLElement): (place: CellPosition) => void {
  const text = h("span", {});
  const why = h("button", { type: "button", class: "small plain", hidden: true }, t("table.why"));
  const status = h("span", { class: "cell-line", hidden: true }, icon("triangle-alert"), text, why);
  host.append(status);
  let failed: { column: Column; rowId: number } | null = null;
  why.addEventListener("click", () => failed && void openWhy(sheet, failed));
  let requestCount = 0;
  let describedKey = "";
  const describe = ({ row: index, column: at }: CellPosition) => {
    const column = sheet.shown[at];
    const row = sheet.rowPages.rowAt(index);
    const value = column && row ? cellValue(row, column.id) : null;
    const isFailed = isErrorCell(value);
    const key = JSON.stringify([column?.ref, column?.type.text, isFailed && column?.formula, row?.id, value]);
    if (key === describedKey) return;
    describedKey = key;
    const request = ++requestCount;
    const show = (content: readonly Child[] | null, { isComplete = true } = {}) => {
      if (request !== requestCount) return;
      status.hidden = content === null;
      // A visible button does not move.
      why.hidden = !isFailed || !isComplete;
      replaceChildren(text, ...(content ?? []));
    };
    if (!column || !row) return show(null);
    if (isInvalidValue(column, value)) return show(invalidValueText(column, column.text(row)));
    if (!isFailed) return show(null);
    failed = { column, rowId: row.id };
    const name = row.errors?.[column.id] ?? "Error";
    show([cellErrorText(name)], { isComplete: false });
    const showError = async () => show(await explainError(sheet, { column, rowId: row.id, name }));
    void showError();
  };
  // The cell's state may change while it is active.
  sheet.onChange(() => describe(sheet.grid.selection.active));
  return describe;
}

const invalidValueText = (column: Column, text: string): Child[] =>
  t.rich("table.cell.invalidStatus", { text: nameElement(text), type: typeName(t, column.type.base) });

/** Returns the error in plain words, as far as the user may see it. */
async function explainError(
  sheet: Sheet,
  { column, rowId, name }: { column: Column; rowId: number; name: string },
): Promise<Child[]> {
  const errors = await fetchCellErrors(sheet, column.id).catch(() => []);
  const found = errors.find((error) => error.row === rowId);
  // Access rules may hide the details.
  const detail = found?.detail ?? null;
  const text = cellErrorText(name, detail);
  const isNamed = detail !== null && text !== cellErrorText(name);
  const error = isNamed || detail === null ? name : `${name}: ${detail}`;
  return t.rich("table.cell.error", { text, error: h("small", {}, englishElement(error)) });
}
