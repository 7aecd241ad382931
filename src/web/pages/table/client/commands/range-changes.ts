import type { CellValue } from "../../../../../values/cell.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import type { RowRange } from "../../../../base/client/grid/row-ranges.ts";
import type { CellRange } from "../../../../base/client/grid/selection.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { t } from "../../../../base/client/texts.ts";
import { askIfLarge } from "../all-rows/ask-if-large.ts";
import type { Column } from "../columns/columns.ts";
import { readRanges } from "../rows/read-range.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";

export interface RangeChange {
  readonly range: CellRange;
  /** The rows that change; by default those of the range. */
  readonly rows?: readonly RowRange[] | undefined;
  /** Selects the columns that change, of the ones that can be edited. */
  readonly takes?: (column: Column) => boolean;
  /** Returns the new values of a column's cells, one for each row. */
  readonly values: (column: Column, rows: readonly RecordJson[]) => readonly CellValue[];
  /** Returns actions that precede it in the same change, for a column. */
  readonly before?: ((column: Column) => readonly UserAction[]) | undefined;
  /** Whether texts are parsed by the types of the columns. */
  readonly asTyped: boolean;
  /** The message after a change of several cells. */
  readonly message: (count: number) => string;
}

/** The selected range without the header; null in a table without rows. */
export function selectedRange({ grid, shown, rowPages }: Sheet): CellRange | null {
  const range = grid.selection.range(shown.length);
  const bottom = Math.min(range.bottom, rowPages.count - 1);
  const top = Math.max(0, range.top);
  return bottom < top || shown.length === 0 ? null : { ...range, top, bottom };
}

/** The rows of the selection, which may be several ranges; without the header and the blank row. */
export function selectedRows({ grid, rowPages }: Sheet): RowRange[] {
  return grid.selection.rowRanges.flatMap((range) => {
    const top = Math.max(0, range.top);
    const bottom = Math.min(range.bottom, rowPages.count - 1);
    return top <= bottom ? [{ top, bottom }] : [];
  });
}

/** Changes the cells of a range in one request. Several cells are reported with Undo. */
export async function changeRange(
  change: RangeChange,
  { sheet, changes }: { sheet: Sheet; changes: UndoManager },
): Promise<void> {
  const { range, values, before, takes = () => true, asTyped, message } = change;
  const columns = sheet.shown
    .slice(range.left, range.right + 1)
    .filter((column) => sheet.canEditCells(column) && takes(column));
  if (columns.length === 0) {
    if (sheet.canEdit) showToast(t("table.change.notEditable"));
    return;
  }
  try {
    const rows = await readRanges(sheet, change.rows ?? [range]);
    const [only] = rows;
    if (only && rows.length === 1) sheet.held.hold(only.id);
    const ids = rows.map(({ id }) => id);
    const cells = Object.fromEntries(columns.map((column) => [column.id, values(column, rows)]));
    const preceding = columns.flatMap((column) => before?.(column) ?? []);
    const actions: UserAction[] = [...preceding, ["BulkUpdateRecord", sheet.table, ids, cells]];
    const savesFirst = await askIfLarge(sheet, actions, { rows, columns });
    if (savesFirst === null) return;
    await changes.apply(actions, { asTyped, savesFirst });
    const count = rows.length * columns.length;
    if (count > 1) showUndoToast(message(count), { sheet, changes });
    if (before || columns.some(({ isEmpty }) => isEmpty)) await sheet.reloadColumns();
  } catch (error) {
    sheet.showError(error, () => void changeRange(change, { sheet, changes }));
  }
}
