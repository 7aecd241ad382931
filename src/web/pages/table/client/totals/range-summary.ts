/** The status line of a selected range: how many cells, and the sum and average of its numbers. */
import { announce } from "../../../../base/client/announce.ts";
import { countRows } from "../../../../base/client/grid/row-ranges.ts";
import { replaceChildren } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { cellFormatter } from "../../../../../values/cell-formatter.ts";
import { columnType } from "../../../../../values/column-type.ts";
import { cellValue, isNumericColumn, type Column } from "../columns/columns.ts";
import { selectedRange } from "../commands/range-changes.ts";
import type { Sheet } from "../sheet.ts";
import { averageFormatter } from "./column-totals.ts";

/** Ranges of more cells show their number only: adding them up would delay the selection. */
const MAX_CELLS = 100_000;

export function attachRangeSummary(sheet: Sheet, host: HTMLElement): void {
  let version = 0;
  let shown = "";
  const show = () => {
    const { selection } = sheet.grid;
    const isHeader = selection.range(sheet.shown.length).top < 0;
    const range = isHeader ? null : selectedRange(sheet);
    const rows = selection.isScattered ? t("table.row.selected", { count: countRows(selection.rowRanges) }) : "";
    const isShown = range !== null && !selection.isSingle && !selection.isRows;
    const key = isShown ? JSON.stringify([range, version]) : rows;
    // The selection is drawn with every scrolling.
    if (key === shown) return;
    shown = key;
    if (rows !== "") announce(rows);
    replaceChildren(host, isShown ? summaryOf(sheet, range) : rows);
  };
  sheet.onSelection = show;
  sheet.onChange(() => {
    version++;
    show();
  });
}

interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

function summaryOf(sheet: Sheet, { top, bottom, left, right }: Range): string {
  const count = (bottom - top + 1) * (right - left + 1);
  const cells = t("table.range.cells", { count });
  if (count > MAX_CELLS) return cells;
  const columns = sheet.shown.slice(left, right + 1);
  const numbers: number[] = [];
  const numeric = new Set<Column>();
  for (let at = top; at <= bottom; at++) {
    const row = sheet.rowPages.rowAt(at);
    // The sum of a part would be taken for that of the range.
    if (!row) return cells;
    for (const column of columns) {
      const value = cellValue(row, column.id);
      if (typeof value !== "number" || !(isNumericColumn(column) || column.type.base === "Any")) continue;
      numbers.push(value);
      numeric.add(column);
    }
  }
  if (numbers.length === 0) return cells;
  const sum = numbers.reduce((total, number) => total + number, 0);
  const { formatSum, formatAverage } = formatsOf(sheet, numeric);
  return t("table.range.summary", { cells, sum: formatSum(sum), average: formatAverage(sum / numbers.length) });
}

/** Numbers of one column look as they do there; those of several have separators and at most two decimals. */
function formatsOf({ data: { settings } }: Sheet, columns: ReadonlySet<Column>) {
  const [column] = columns;
  if (column && columns.size === 1) {
    return {
      formatSum: (sum: number) => column.text({ id: 0, fields: { [column.id]: sum } }),
      formatAverage: averageFormatter(column, settings),
    };
  }
  const format = cellFormatter(columnType("Numeric"), {
    ...settings,
    widgetOptions: { numMode: "decimal", maxDecimals: 2 },
  });
  return { formatSum: format, formatAverage: format };
}
