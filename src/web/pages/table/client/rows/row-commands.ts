import type { RecordJson } from "../../../../base/table-data.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import { askIfLarge } from "../all-rows/ask-if-large.ts";
import { changeAllRows } from "../on-first-use.ts";
import { selectedRange, selectedRows } from "../commands/range-changes.ts";
import type { Sheet } from "../sheet.ts";
import { showUndoToast } from "../undo-toast.ts";
import { newRowCells } from "./new-row-cells.ts";
import { showNewRow } from "./new-row.ts";
import { readRange, readRanges } from "./read-range.ts";

/** More empty rows than this are not added at once. */
const MAX_INSERTED = 1000;

interface AddedRows {
  /** The row that follows the added ones; by default they are the last ones. */
  readonly before?: RecordJson | undefined;
  readonly column: number;
  readonly count?: number;
}

/** Adds, duplicates and deletes rows. */
export class RowCommands {
  readonly #sheet: Sheet;
  readonly #changes: UndoManager;

  constructor(sheet: Sheet, changes: UndoManager) {
    this.#sheet = sheet;
    this.#changes = changes;
  }

  /** Adds a row at the end, and activates the first cell that is entered. */
  async addAndEnter(): Promise<void> {
    const first = this.#sheet.shown.findIndex(({ isFormula, isEmpty }) => !isFormula || isEmpty);
    this.#sheet.grid.enterNext?.();
    await this.#add({ column: Math.max(first, 0) });
  }

  /**
   * Adds rows above or below the selected ones, as many as are selected, and activates the first. In a sorted view, rows
   * have no position: one row is added.
   */
  async insert(where: "above" | "below"): Promise<void> {
    const sheet = this.#sheet;
    const { active } = sheet.grid.selection;
    const range = selectedRange(sheet);
    if (!sheet.canEdit || sheet.isSummary) return;
    const isSorted = sheet.view.sort.length > 0 || sheet.grouping.geometry !== null;
    if (isSorted && where === "above") return void showToast(t("table.row.notWhileSorted"));
    const index = where === "above" ? (range?.top ?? 0) : (range?.bottom ?? -1) + 1;
    const count = range && !sheet.grid.selection.isAll ? Math.min(MAX_INSERTED, range.bottom - range.top + 1) : 1;
    if (isSorted || !range || (count === 1 && index >= sheet.rowPages.count))
      return this.#add({ column: active.column });
    const insert = async () => {
      const [before] = index < sheet.rowPages.count ? await readRange(sheet, index, index) : [];
      await this.#add({ before, column: active.column, count });
    };
    try {
      await sheet.heldKeys.during(insert());
    } catch (error) {
      sheet.showError(error, () => void this.insert(where));
    }
  }

  async #add({ before, column, count = 1 }: AddedRows): Promise<void> {
    const sheet = this.#sheet;
    if (!sheet.canEdit) return;
    // A new row of a group is shown in its group.
    if (!before && count === 1 && sheet.grouping.geometry === null) return this.addAtEnd(column);
    const position = before?.fields["manualSort"];
    const ids = Array.from({ length: count }, () => null);
    const repeat = (value: unknown) => ids.map(() => value);
    const cells = { ...newRowCells(sheet), ...(typeof position === "number" && { manualSort: position }) };
    const values = Object.fromEntries(Object.entries(cells).map(([id, value]) => [id, repeat(value)]));
    const added = this.#do([["BulkAddRecord", sheet.table, ids, values]], async ([made]) => {
      await sheet.rowPages.whenLoaded();
      const [first] = made as readonly number[];
      const found = sheet.rowPages.indexOf(Number(first));
      if (found >= 0) sheet.grid.activate({ row: found, column });
      else showToast(t("table.row.added"));
    });
    await sheet.heldKeys.during(added);
  }

  /** The row is shown and active at once, so that its values can be typed while it is saved. */
  async addAtEnd(column: number): Promise<void> {
    const sheet = this.#sheet;
    const cells = newRowCells(sheet);
    const row = showNewRow(sheet, { shown: cells, column });
    const added = this.#changes.apply([["AddRecord", sheet.table, null, cells]], {
      onApplied: ([id]) => row.finish(Number(id)),
    });
    sheet.grid.focus();
    try {
      await added;
    } catch (error) {
      row.revert();
      sheet.showError(error, () => void this.addAtEnd(column));
    }
  }

  /** Adds copies of the selected rows, below them unless the view is sorted. */
  async duplicate(): Promise<void> {
    const sheet = this.#sheet;
    if (sheet.grid.selection.isAll) return changeAllRows("duplicate", { sheet, changes: this.#changes });
    const range = selectedRange(sheet);
    if (!range) return;
    try {
      const ranges = selectedRows(sheet);
      const rows = await readRanges(sheet, ranges);
      const copied = sheet.columns.filter((column) => !column.isFormula);
      const values = Object.fromEntries(copied.map(({ id }) => [id, rows.map((row) => row.fields[id] ?? null)]));
      const next = (ranges.at(-1)?.bottom ?? range.bottom) + 1;
      const [before] =
        sheet.view.sort.length === 0 && next < sheet.rowPages.count ? await readRange(sheet, next, next) : [];
      const position = before?.fields["manualSort"];
      const placed = typeof position === "number" ? { ...values, manualSort: rows.map(() => position) } : values;
      const ids = rows.map(() => null);
      const actions: UserAction[] = [["BulkAddRecord", sheet.table, ids, placed]];
      const savesFirst = await askIfLarge(sheet, actions);
      if (savesFirst === null) return;
      await this.#changes.apply(actions, { asTyped: false, savesFirst });
      showUndoToast(t("table.row.duplicated", { count: rows.length }), { sheet, changes: this.#changes });
    } catch (error) {
      sheet.showError(error, () => void this.duplicate());
    }
  }

  /** Deletes the selected rows. */
  async remove(): Promise<void> {
    const sheet = this.#sheet;
    const range = selectedRange(sheet);
    if (!sheet.canEdit || sheet.isSummary || !range) return;
    if (sheet.grid.selection.isAll) return changeAllRows("delete", { sheet, changes: this.#changes });
    try {
      const [first = range, ...others] = selectedRows(sheet);
      const rows = await readRanges(sheet, [first, ...others]);
      const actions: UserAction[] = [["BulkRemoveRecord", sheet.table, rows.map(({ id }) => id)]];
      const savesFirst = await askIfLarge(sheet, actions, { rows, columns: sheet.columns });
      if (savesFirst === null) return;
      await this.#changes.apply(actions, { savesFirst });
      sheet.grid.selection.move({ row: first.top, column: sheet.grid.selection.active.column });
      sheet.grid.selection.forgetFormer();
      showUndoToast(t("table.row.deleted", { count: rows.length }), { sheet, changes: this.#changes });
    } catch (error) {
      sheet.showError(error, () => void this.remove());
    }
  }

  async undo(): Promise<void> {
    try {
      if (!(await this.#changes.undo())) showToast(t("table.undo.nothing"));
    } catch (error) {
      this.#sheet.showError(error);
    }
  }

  async redo(): Promise<void> {
    try {
      if (!(await this.#changes.redo())) showToast(t("table.redo.nothing"));
    } catch (error) {
      this.#sheet.showError(error);
    }
  }

  async #do(actions: readonly UserAction[], then: (values: readonly unknown[]) => unknown): Promise<void> {
    try {
      await then(await this.#changes.apply(actions));
    } catch (error) {
      this.#sheet.showError(error, () => void this.#do(actions, then));
    }
  }
}
