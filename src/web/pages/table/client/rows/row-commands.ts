import type { RecordJson, RecordsPage } from "../../../../base/table-data.ts";
import { api } from "../../../../base/client/api.ts";
import { confirmDialog } from "../../../../base/client/dialog.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";
import { emptyValue } from "../editors/text-editor.ts";
import type { Sheet } from "../sheet.ts";
import { showUndoToast } from "../undo-toast.ts";

/** Number of rows per request when a command covers rows that are not loaded. */
const ROWS_PER_REQUEST = 5000;
/** Deleting more rows than this needs confirmation. */
const CONFIRM_DELETE_FROM = 20;

/** Returns the rows of a range, loading missing ones. */
export async function readRange(sheet: Sheet, from: number, to: number): Promise<RecordJson[]> {
  const loaded = Array.from({ length: to - from + 1 }, (_, at) => sheet.rowPages.rowAt(from + at));
  if (loaded.every((row) => row !== undefined)) return loaded;
  const rows: RecordJson[] = [];
  while (rows.length < to - from + 1) {
    const limit = Math.min(ROWS_PER_REQUEST, to - from + 1 - rows.length);
    const query = { ...sheet.view.query, hidden: true, limit, offset: from + rows.length };
    const { records } = await api<RecordsPage>(`${sheet.path}/records`, { query });
    rows.push(...records);
    if (records.length < limit) break;
  }
  return rows;
}

/** Adds, clears and deletes rows. */
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
    await this.#add({ column: Math.max(first, 0) });
  }

  /** Adds a row at the end, or before another one, and activates its cell in the active column. */
  async add(before?: RecordJson): Promise<void> {
    await this.#add({ before, column: this.#sheet.grid.selection.active.column });
  }

  async #add({ before, column }: { before?: RecordJson | undefined; column: number }): Promise<void> {
    const sheet = this.#sheet;
    if (!sheet.canEdit) return;
    if (!before && sheet.view.sort.length === 0 && !sheet.view.isFiltered) return this.#addAtEnd(column);
    const position = before?.fields["manualSort"];
    const values = typeof position === "number" ? { manualSort: position } : {};
    const added = this.#do([["AddRecord", sheet.table, null, values]], async ([id]) => {
      await sheet.rowPages.whenLoaded();
      const found = sheet.rowPages.indexOf(Number(id));
      if (found >= 0) sheet.grid.activate({ row: found, column });
      else showToast(t("table.row.added", { id: String(id) }));
    });
    await sheet.heldKeys.during(added);
  }

  /** The row is shown and active at once, so that its values can be typed while it is saved. */
  async #addAtEnd(column: number): Promise<void> {
    const sheet = this.#sheet;
    const row = sheet.rowPages.addRow();
    const added = this.#changes.apply([["AddRecord", sheet.table, null, {}]], {
      onApplied: ([id]) => row.finish(Number(id)),
    });
    sheet.grid.activate({ row: sheet.rowPages.indexOf(row.id), column });
    try {
      await added;
    } catch (error) {
      row.revert();
      sheet.showError(error, () => void this.#addAtEnd(column));
    }
  }

  /** Adds a copy of a row. */
  async duplicate(row: RecordJson): Promise<void> {
    const sheet = this.#sheet;
    const values = Object.fromEntries(
      sheet.columns.filter((column) => !column.isFormula).map(({ id }) => [id, row.fields[id] ?? null]),
    );
    await this.#do([["AddRecord", sheet.table, null, values]], () => showToast(t("table.row.duplicated")));
  }

  /** Deletes the selected rows. */
  async remove(): Promise<void> {
    const sheet = this.#sheet;
    if (!sheet.canEdit || sheet.rowPages.count === 0) return;
    const { top, bottom } = sheet.grid.selection.range(sheet.columns.length);
    const count = bottom - top + 1;
    const deleteRows = async () => {
      const rows = await readRange(sheet, Math.max(0, top), bottom);
      await this.#changes.apply([["BulkRemoveRecord", sheet.table, rows.map(({ id }) => id)]]);
      sheet.grid.selection.move({ row: Math.max(0, top), column: sheet.grid.selection.active.column });
    };
    if (count > CONFIRM_DELETE_FROM) {
      const isDone = await confirmDialog({
        title: t("table.row.delete.title", { count }),
        text: t("table.row.delete.text"),
        action: t("table.row.delete", { count }),
        isDangerous: true,
        submit: deleteRows,
      });
      if (!isDone) return;
    } else {
      try {
        await deleteRows();
      } catch (error) {
        return sheet.showError(error, () => void this.remove());
      }
    }
    showUndoToast(t("table.row.deleted", { count }), { sheet, changes: this.#changes });
  }

  /** Clears the selected cells. */
  async clear(): Promise<void> {
    const sheet = this.#sheet;
    const { top, bottom, left, right } = sheet.grid.selection.range(sheet.shown.length);
    const columns = sheet.shown
      .slice(left, right + 1)
      .filter((column) => sheet.canEditCells(column) && !column.isEmpty);
    if (columns.length === 0) return;
    try {
      const rows = await readRange(sheet, top, bottom);
      const values = Object.fromEntries(columns.map((column) => [column.id, rows.map(() => emptyValue(column))]));
      await this.#changes.apply([["BulkUpdateRecord", sheet.table, rows.map(({ id }) => id), values]], {
        asTyped: false,
      });
    } catch (error) {
      sheet.showError(error, () => void this.clear());
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
