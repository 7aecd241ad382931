import type { UserAction } from "../undo-manager.ts";
import type { Column } from "../columns/columns.ts";
import { parseText } from "../editors/text-editor.ts";
import { readRange } from "../rows/row-commands.ts";
import type { Sheet } from "../sheet.ts";

/** Rows of texts, as spreadsheets copy them. */
export type Cells = readonly (readonly string[])[];

export interface PastePlan {
  /** What is pasted, repeated where the selection is a multiple of it. */
  readonly cells: Cells;
  /** The columns that the pasted ones go to; null where there is none, or none that can be typed into. */
  readonly targets: readonly (Column | null)[];
  /** How many pasted columns are to the right of the last column: the table can get columns for them. */
  readonly extraColumns: number;
  /** The row that the first pasted one goes to. */
  readonly top: number;
  /** Existing rows that change. */
  readonly changed: number;
  readonly added: number;
}

/** More cells than this are not repeated at once. */
const MAX_REPEATED_CELLS = 100_000;

export function planPaste(pasted: Cells, sheet: Sheet): PastePlan {
  const { selection } = sheet.grid;
  const area = selection.range(sheet.shown.length);
  const isOne = selection.isSingle;
  const top = Math.max(0, isOne ? selection.active.row : area.top);
  const left = isOne ? selection.active.column : area.left;
  const cells = isOne ? pasted : repeatCells(pasted, { rows: area.bottom - top + 1, columns: area.right - left + 1 });
  const width = Math.max(...cells.map((row) => row.length));
  const targets = Array.from({ length: width }, (_, at) => {
    const column = sheet.shown[left + at];
    return column && sheet.canEditCells(column) && column.type.base !== "Attachments" ? column : null;
  });
  const changed = Math.max(0, Math.min(cells.length, sheet.rowPages.count - top));
  return {
    cells,
    targets,
    extraColumns: sheet.isSummary ? 0 : Math.max(0, left + width - sheet.shown.length),
    top,
    changed,
    added: sheet.isSummary ? 0 : cells.length - changed,
  };
}

/** The cells as often as they fit an area: one value fills it, a block repeats if it divides it. */
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

/** Cells that do not fit, by their place: `row,column`. */
export function findInvalidCells({ cells, targets }: PastePlan, sheet: Sheet): Set<string> {
  const { settings } = sheet.data;
  const found = new Set<string>();
  for (const [r, row] of cells.entries()) {
    for (const [c, text] of row.entries()) {
      const column = targets[c];
      // Whether there is such a record is known to the server alone.
      if (!column || column.displayId !== null) continue;
      if (parseText(text, { column, settings }).warning !== null) found.add(`${r},${c}`);
    }
  }
  return found;
}

export interface PasteOptions {
  /** Adds all rows, and leaves the existing ones alone. */
  readonly asNew: boolean;
  /** Adds the columns that are missing. */
  readonly withColumns: boolean;
}

/** The actions that paste; columns are added in the same change as what they hold. */
export async function pasteActions(
  plan: PastePlan,
  { sheet, asNew, withColumns }: PasteOptions & { readonly sheet: Sheet },
): Promise<UserAction[]> {
  const { cells, targets } = plan;
  const newIds = withColumns ? unusedColumnIds(sheet, plan.extraColumns) : [];
  const ids = targets.map((column, c) => column?.id ?? newIds[c - (targets.length - newIds.length)] ?? null);
  const changed = asNew ? 0 : plan.changed;
  const valuesOf = (from: number, to: number): Record<string, unknown[]> =>
    Object.fromEntries(
      ids.flatMap((id, c) => (id === null ? [] : [[id, cells.slice(from, to).map((row) => row[c] ?? "")]])),
    );
  // Columns without a type take the one that their first values have.
  const actions: UserAction[] = newIds.map((id) => ["AddVisibleColumn", sheet.table, id, { isFormula: true }]);
  if (changed > 0) {
    const rows = await readRange(sheet, plan.top, plan.top + changed - 1);
    actions.push(["BulkUpdateRecord", sheet.table, rows.map(({ id }) => id), valuesOf(0, rows.length)]);
  }
  const added = cells.length - changed;
  if (added > 0 && !sheet.isSummary) {
    const none = Array.from({ length: added }, () => null);
    actions.push(["BulkAddRecord", sheet.table, none, valuesOf(changed, cells.length)]);
  }
  return actions;
}

/** Ids that no column has: the letters that the server itself would give to columns without a name. */
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
