import { announce } from "../../../../base/client/announce.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { RecordJson } from "../../../../base/table-data.ts";
import { countRows, hasRow } from "../../../../base/client/grid/row-ranges.ts";
import { askIfLarge } from "../all-rows/ask-if-large.ts";
import { selectedRange, selectedRows } from "../commands/range-changes.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import { positionReason } from "./position-reason.ts";
import { readRange, readRanges } from "./read-range.ts";

export type MoveDirection = "up" | "down";

/** Moves the selected rows by one position, in views in which rows have one. */
export class RowMoves {
  readonly #sheet: Sheet;
  readonly #changes: UndoManager;
  /** Positions are those after the previous move. */
  #previous: Promise<void> = Promise.resolve();

  constructor(sheet: Sheet, changes: UndoManager) {
    this.#sheet = sheet;
    this.#changes = changes;
  }

  move(direction: MoveDirection): void {
    const sheet = this.#sheet;
    if (!sheet.canEdit || sheet.isSummary) return;
    const reason = positionReason(sheet);
    if (reason !== undefined) return void showToast(reason);
    this.#previous = this.#previous.then(() => this.#move(direction));
  }

  /** Moves the selected rows before a row, or to the end; they follow each other then. */
  moveTo(row: number): void {
    const sheet = this.#sheet;
    if (!sheet.canAddRows) return;
    const reason = positionReason(sheet);
    if (reason !== undefined) return void showToast(reason);
    this.#previous = this.#previous.then(() => this.#moveTo(row));
  }

  async #moveTo(row: number): Promise<void> {
    const sheet = this.#sheet;
    const ranges = selectedRows(sheet);
    let before = row;
    while (hasRow(ranges, before)) before++;
    const count = countRows(ranges);
    const above = ranges.filter(({ bottom }) => bottom < before);
    const top = before - countRows(above);
    const isThere = ranges.length === 1 && ranges[0]?.top === top;
    if (count === 0 || isThere || sheet.grid.selection.isAll) return;
    try {
      const rows = await readRanges(sheet, ranges);
      const [next] = before < sheet.rowPages.count ? await readRange(sheet, before, before) : [];
      // Without a position, rows are moved to the end.
      const position = next?.fields["manualSort"] ?? null;
      const cells = { manualSort: rows.map(() => position) };
      if (!(await this.#apply(["BulkUpdateRecord", sheet.table, rows.map(({ id }) => id), cells], rows))) return;
      await sheet.rowPages.whenLoaded();
      sheet.grid.selection.selectRows({ top, bottom: top + count - 1 });
      sheet.grid.selection.forgetFormer();
      sheet.grid.selectionChanged();
      announce(t("table.row.moved", { count, position: top + 1 }), "moved");
    } catch (error) {
      sheet.showError(error, () => this.moveTo(row));
    }
  }

  /** Returns false when the user cancels a large change. */
  async #apply(action: UserAction, rows: readonly RecordJson[]): Promise<boolean> {
    const savesFirst = await askIfLarge(this.#sheet, [action], { rows, columns: [{ id: "manualSort" }] });
    if (savesFirst !== null) await this.#changes.apply([action], { asTyped: false, savesFirst });
    return savesFirst !== null;
  }

  async #move(direction: MoveDirection): Promise<void> {
    const sheet = this.#sheet;
    const { selection } = sheet.grid;
    const ranges = selection.isScattered ? selectedRows(sheet) : [];
    const [first] = ranges;
    const last = ranges.at(-1);
    // Rows that do not follow each other are gathered.
    if (first && last) return this.#moveTo(direction === "up" ? Math.max(0, first.top - 1) : last.bottom + 2);
    const range = selectedRange(sheet);
    if (!range || selection.isAll) return;
    const { top, bottom } = range;
    const step = direction === "up" ? -1 : 1;
    if (top + step < 0 || bottom + step >= sheet.rowPages.count) return;
    try {
      const rows = await readRange(sheet, Math.min(top, top + step), Math.max(bottom, bottom + step));
      const action = moveAction(sheet.table, rows, direction);
      if (!action || !(await this.#apply(action, rows))) return;
      await sheet.rowPages.whenLoaded();
      announce(t("table.row.moved", { count: bottom - top + 1, position: top + step + 1 }), "moved");
    } catch (error) {
      sheet.showError(error, () => this.move(direction));
    }
  }
}

interface PositionedRow {
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * A row with the position of another one is placed before it: rows move up by taking the place of the row above, and
 * down by the row below taking theirs.
 * @param rows with the one above, or the one below
 */
function moveAction(table: string, rows: readonly PositionedRow[], direction: MoveDirection): UserAction | null {
  const moved = direction === "up" ? rows.slice(1) : rows.slice(-1);
  const position = rows[0]?.fields["manualSort"];
  if (typeof position !== "number") return null;
  return ["BulkUpdateRecord", table, moved.map(({ id }) => id), { manualSort: moved.map(() => position) }];
}
