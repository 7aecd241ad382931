/** Fills cells beside a range with what continues it. */
import type { CellValue } from "../../../../../values/cell.ts";
import type { CellRange } from "../../../../base/client/grid/selection.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { t } from "../../../../base/client/texts.ts";
import { type Column, cellValue } from "../columns/columns.ts";
import { readRange } from "../rows/read-range.ts";
import type { GridSheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { copiedValue } from "./cell-commands.ts";
import { type FillType, fillValues, forcedSeries, type Series, seriesOf } from "./fill-series.ts";
import { changeRange } from "./range-changes.ts";

/** More cells are not filled at once. */
export const MAX_FILLED_CELLS = 10_000;

export interface FillContext {
  readonly sheet: GridSheet;
  readonly changes: UndoManager;
}

export interface Fill {
  /** The cells that are continued. */
  readonly source: CellRange;
  /** Rows below the source, or columns at its right. */
  readonly target: CellRange;
  /** Copies where a series is the default, and a series where copies are. */
  readonly isSwitched: boolean;
}

export const fillType = ({ type }: Column): FillType => ({ base: type.base, zone: type.zone });

export const cellCount = ({ top, bottom, left, right }: CellRange): number => (bottom - top + 1) * (right - left + 1);

export const isFilled = (sheet: GridSheet, column: Column): boolean =>
  sheet.canEditCells(column) && column.type.base !== "Attachments";

export function chooseSeries(given: readonly CellValue[], type: FillType, isSwitched: boolean): Series | null {
  const series = seriesOf(given, type);
  if (!isSwitched) return series;
  return series ? null : forcedSeries(given, type);
}

/** Fills the target, and selects it together with the source. */
export async function applyFill(fill: Fill, context: FillContext): Promise<void> {
  const { sheet } = context;
  const { source, target } = fill;
  if (cellCount(target) > MAX_FILLED_CELLS) {
    showToast(t("table.fill.tooLarge", { max: MAX_FILLED_CELLS }), { problem: true });
    return;
  }
  try {
    if (target.top > source.bottom) await fillDown(fill, context);
    else await fillRight(fill, context);
    sheet.grid.selection.select({ ...source, bottom: target.bottom, right: target.right });
    sheet.grid.selectionChanged();
  } catch (error) {
    sheet.showError(error, () => void applyFill(fill, context));
  }
}

async function fillDown({ source, target, isSwitched }: Fill, context: FillContext): Promise<void> {
  const given = await readRange(context.sheet, source.top, source.bottom);
  await changeRange(
    {
      range: target,
      takes: (column) => isFilled(context.sheet, column),
      values: (column, rows) => {
        const values = given.map((row) => cellValue(row, column.id));
        return fillValues(values, rows.length, chooseSeries(values, fillType(column), isSwitched));
      },
      asTyped: false,
      message: (count) => t("table.change.filled", { count }),
    },
    context,
  );
}

async function fillRight({ source, target, isSwitched }: Fill, context: FillContext): Promise<void> {
  const { sheet } = context;
  const sources = sheet.shown.slice(source.left, source.right + 1);
  await changeRange(
    {
      range: target,
      takes: (column) => isFilled(sheet, column),
      values: (column, rows) => {
        const at = sheet.shown.indexOf(column) - target.left;
        return rows.map((row) => valueAtRight(row, { sources, column, at, isSwitched }));
      },
      asTyped: true,
      message: (count) => t("table.change.filled", { count }),
    },
    context,
  );
}

interface PlaceAtRight {
  readonly sources: readonly Column[];
  readonly column: Column;
  readonly at: number;
  readonly isSwitched: boolean;
}

/** A series needs columns of one type; other values are copied, as text between types. */
function valueAtRight(row: RecordJson, { sources, column, at, isSwitched }: PlaceAtRight): CellValue {
  const values = sources.map((source) => cellValue(row, source.id));
  const isOneType = sources.every((source) => source.type.text === column.type.text);
  const series = isOneType ? chooseSeries(values, fillType(column), isSwitched) : null;
  if (series) return series(at);
  const source = sources[at % sources.length];
  return source ? copiedValue(row, source, column) : null;
}

/** Fills down to the last filled cell of the neighbouring column that follows without a gap. */
export async function fillToNeighbour(source: CellRange, context: FillContext): Promise<void> {
  const { sheet } = context;
  const neighbour = sheet.shown[source.left > 0 ? source.left - 1 : source.right + 1];
  const mostRows = Math.floor(MAX_FILLED_CELLS / (source.right - source.left + 1));
  const last = Math.min(sheet.rowPages.count - 1, source.bottom + mostRows);
  if (!neighbour || last <= source.bottom) return;
  try {
    const rows = await readRange(sheet, source.bottom + 1, last);
    const gap = rows.findIndex((row) => isBlank(cellValue(row, neighbour.id)));
    const count = gap < 0 ? rows.length : gap;
    const target = { ...source, top: source.bottom + 1, bottom: source.bottom + count };
    if (count > 0) await applyFill({ source, target, isSwitched: false }, context);
  } catch (error) {
    sheet.showError(error, () => void fillToNeighbour(source, context));
  }
}

const isBlank = (value: CellValue): boolean =>
  value === null || value === "" || (Array.isArray(value) && value[0] === "L" && value.length === 1);
