import type { ReplacedCells } from "../all-rows/ask-if-large.ts";
import type { UserAction } from "../undo-manager.ts";
import type { Column } from "../columns/columns.ts";
import { parseText } from "../editors/parse-text.ts";
import { countRows, type RowRange } from "../../../../base/client/grid/row-ranges.ts";
import { selectedRows } from "../commands/range-changes.ts";
import { readRanges } from "../rows/read-range.ts";
import type { Sheet } from "../sheet.ts";

/** Rows of texts, as copied by spreadsheets. */
export type Cells = readonly (readonly string[])[];

export interface PastePlan {
  /** The pasted cells, repeated when the selection is a multiple of them. */
  readonly cells: Cells;
  /** The target columns; null where none exists or the column is not editable. */
  readonly targets: readonly (Column | null)[];
  /** Number of pasted columns beyond the last column: columns can be added for them. */
  readonly extraColumns: number;
  /** The target row of the first pasted row. */
  readonly top: number;
  /** The rows that change; the first ones from `top` on unless separate rows are selected. */
  readonly rows: readonly RowRange[];
  /** Existing rows that change. */
  readonly changed: number;
  readonly added: number;
}

/** Larger results are not repeated. */
const MAX_REPEATED_CELLS = 100_000;

export function planPaste(pasted: Cells, sheet: Sheet): PastePlan {
  const { selection } = sheet.grid;
  const area = selection.range(sheet.shown.length);
  const isOne = selection.isSingle;
  const top = Math.max(0, isOne ? selection.active.row : area.top);
  const left = isOne ? selection.active.column : area.left;
  const separate = selection.isScattered ? selectedRows(sheet) : [];
  const rowCount = separate.length > 0 ? countRows(separate) : area.bottom - top + 1;
  const cells = isOne ? pasted : repeatCells(pasted, { rows: rowCount, columns: area.right - left + 1 });
  const width = Math.max(...cells.map((row) => row.length));
  const targets = Array.from({ length: width }, (_, at) => {
    const column = sheet.shown[left + at];
    return column && sheet.canEditCells(column) && column.type.base !== "Attachments" ? column : null;
  });
  const follows = Math.max(0, Math.min(cells.length, sheet.rowPages.count - top));
  // Other numbers of rows than those selected go from the last range on.
  const rows = cells.length === rowCount && separate.length > 0 ? separate : rangeOf(top, follows);
  const changed = countRows(rows);
  return {
    cells,
    targets,
    extraColumns: sheet.isSummary ? 0 : Math.max(0, left + width - sheet.shown.length),
    top: rows[0]?.top ?? top,
    rows,
    changed,
    added: sheet.isSummary ? 0 : cells.length - changed,
  };
}

const rangeOf = (top: number, count: number): RowRange[] => (count > 0 ? [{ top, bottom: top + count - 1 }] : []);

/** Repeats the cells to fill an area: a single value fills it, a block repeats when it divides it. */
function repeatCells(cells: Cells, area: { rows: number; columns: number }): Cells {
  const width = cells[0]?.length ?? 0;
  const isBlock = cells.every((row) => row.length === width);
  const divides = area.rows % cells.length === 0 && area.columns % width === 0;
  if (!isBlock || !divides || area.rows * area.columns > MAX_REPEATED_CELLS) return cells;
  return Array.from({ length: area.rows }, (_, r) => {
    const row = cells[r % cells.length] ?? [];
    return Array.from({ length: area.columns }, (_, c) => row[c % width] ?? "");
  });
}

/** Cells that do not fit, by position: `row,column`. */
export function findInvalidCells({ cells, targets }: PastePlan, sheet: Sheet): Set<string> {
  const { settings } = sheet.data;
  const found = new Set<string>();
  for (const [r, row] of cells.entries()) {
    for (const [c, text] of row.entries()) {
      const column = targets[c];
      // Only the server knows whether such a record exists.
      if (!column || column.displayId !== null) continue;
      if (parseText(text, { column, settings }).warning !== null) found.add(`${r},${c}`);
    }
  }
  return found;
}

export interface PasteOptions {
  /** Adds all rows and keeps the existing ones. */
  readonly asNew: boolean;
  /** Adds the missing columns. */
  readonly withColumns: boolean;
}

/** Returns the user actions, and the cells that they replace; columns are added in the same change as their values. */
export async function pasteActions(
  plan: PastePlan,
  { sheet, asNew, withColumns }: PasteOptions & { readonly sheet: Sheet },
): Promise<{ actions: UserAction[]; replaced: ReplacedCells }> {
  const { cells, targets } = plan;
  const newIds = withColumns ? unusedColumnIds(sheet, plan.extraColumns) : [];
  const ids = targets.map((column, c) => column?.id ?? newIds[c - (targets.length - newIds.length)] ?? null);
  const changed = asNew ? 0 : plan.changed;
  const valuesOf = (from: number, to: number): Record<string, unknown[]> =>
    Object.fromEntries(
      ids.flatMap((id, c) => (id === null ? [] : [[id, cells.slice(from, to).map((row) => row[c] ?? "")]])),
    );
  // Columns without a type get that of their first values.
  const actions: UserAction[] = newIds.map((id) => ["AddVisibleColumn", sheet.table, id, { isFormula: true }]);
  const rows = changed > 0 ? await readRanges(sheet, plan.rows) : [];
  if (changed > 0) {
    actions.push(["BulkUpdateRecord", sheet.table, rows.map(({ id }) => id), valuesOf(0, rows.length)]);
  }
  const added = cells.length - changed;
  if (added > 0 && !sheet.isSummary) {
    const none = Array.from({ length: added }, () => null);
    const linked = Object.entries(sheet.link.values).map(([id, value]) => [id, none.map(() => value)]);
    const values = { ...Object.fromEntries(linked), ...valuesOf(changed, cells.length) };
    actions.push(["BulkAddRecord", sheet.table, none, values]);
  }
  return { actions, replaced: { rows, columns: targets.filter((column) => column !== null) } };
}

/** Returns unused column ids: the letters that the server would give to columns without a name. */
function unusedColumnIds(sheet: Sheet, count: number): string[] {
  const taken = new Set(sheet.data.columns.map(({ id }) => id.toUpperCase()));
  const ids: string[] = [];
  for (let at = 0; ids.length < count; at++) {
    const id = columnLetters(at);
    if (!taken.has(id)) ids.push(id);
  }
  return ids;
}

/** A, B, … Z, AA, AB, … */
function columnLetters(at: number): string {
  const last = String.fromCodePoint(65 + (at % 26));
  return at < 26 ? last : `${columnLetters(Math.floor(at / 26) - 1)}${last}`;
}
