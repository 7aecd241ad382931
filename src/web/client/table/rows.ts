import type { RecordJson, RecordsPage } from "../../table-data.ts";
import { count } from "../../../lib/sizes.ts";
import { api } from "../base/api.ts";
import { confirmDialog } from "../base/dialog.ts";
import { toast } from "../base/toast.ts";
import type { Changes, UserAction } from "./changes.ts";
import { emptyOf } from "./editors/text-editor.ts";
import type { Sheet } from "./sheet.ts";
import { undoToast } from "./undo-toast.ts";

/** So many rows are read at once where more than those in view are meant. */
const PORTION = 5000;
/** More rows than this are not taken away without asking. */
const ASK_FROM = 20;

/** The rows from one place to another, those among them that are not loaded too. */
export async function readRange(sheet: Sheet, from: number, to: number): Promise<RecordJson[]> {
  const loaded = Array.from({ length: to - from + 1 }, (_, at) => sheet.pages.at(from + at));
  if (loaded.every((row) => row !== undefined)) return loaded;
  const rows: RecordJson[] = [];
  while (rows.length < to - from + 1) {
    const limit = Math.min(PORTION, to - from + 1 - rows.length);
    const query = { ...sheet.view.query, hidden: true, limit, offset: from + rows.length };
    const { records } = await api<RecordsPage>(`${sheet.path}/records`, { query });
    rows.push(...records);
    if (records.length < limit) break;
  }
  return rows;
}

/** Adds, empties and takes away rows. */
export class Rows {
  readonly #sheet: Sheet;
  readonly #changes: Changes;

  constructor(sheet: Sheet, changes: Changes) {
    this.#sheet = sheet;
    this.#changes = changes;
  }

  /** Adds a row at the end, or before another one; it becomes the active one. */
  async add(before?: RecordJson): Promise<void> {
    const sheet = this.#sheet;
    if (!sheet.mayEdit) return;
    const position = before?.fields["manualSort"];
    const values = typeof position === "number" ? { manualSort: position } : {};
    await this.#do([["AddRecord", sheet.table, null, values]], async ([id]) => {
      const isInOrder = sheet.view.sort.length === 0 && !sheet.view.isFiltered;
      const { column } = sheet.grid.selection.active;
      const at = before ? sheet.pages.find(before.id) : sheet.pages.count;
      await sheet.pages.settled();
      if (isInOrder) return sheet.grid.activate({ row: at, column });
      const found = sheet.pages.find(Number(id));
      if (found >= 0) sheet.grid.activate({ row: found, column });
      else toast(`Row ${String(id)} was added. Where it stands depends on the order and the filter.`);
    });
  }

  /** Adds a row with what another one holds. */
  async duplicate(row: RecordJson): Promise<void> {
    const sheet = this.#sheet;
    const values = Object.fromEntries(
      sheet.columns.filter((column) => !column.isFormula).map(({ id }) => [id, row.fields[id] ?? null]),
    );
    await this.#do([["AddRecord", sheet.table, null, values]], () => toast("The row was added again."));
  }

  /** Takes away the rows that are chosen. */
  async remove(): Promise<void> {
    const sheet = this.#sheet;
    if (!sheet.mayEdit || sheet.pages.count === 0) return;
    const { top, bottom } = sheet.grid.selection.area(sheet.columns.length);
    const many = count(bottom - top + 1, "row", "rows");
    const work = async () => {
      const rows = await readRange(sheet, Math.max(0, top), bottom);
      await this.#changes.apply([["BulkRemoveRecord", sheet.table, rows.map(({ id }) => id)]]);
      sheet.grid.selection.move({ row: Math.max(0, top), column: sheet.grid.selection.active.column });
    };
    if (bottom - top + 1 > ASK_FROM) {
      const text = "It can be taken back for as long as this window stays open.";
      const isDone = await confirmDialog({
        title: `Delete ${many}?`,
        text,
        action: `Delete ${many}`,
        isDangerous: true,
        submit: work,
      });
      if (!isDone) return;
    } else {
      try {
        await work();
      } catch (error) {
        return sheet.fail(error, () => void this.remove());
      }
    }
    undoToast(`${many} deleted.`, { sheet, changes: this.#changes });
  }

  /** Empties the cells that are chosen. */
  async clear(): Promise<void> {
    const sheet = this.#sheet;
    const { top, bottom, left, right } = sheet.grid.selection.area(sheet.shown.length);
    const columns = sheet.shown
      .slice(left, right + 1)
      .filter((column) => sheet.mayEditCells(column) && !column.isEmpty);
    if (columns.length === 0) return;
    try {
      const rows = await readRange(sheet, top, bottom);
      const values = Object.fromEntries(columns.map((column) => [column.id, rows.map(() => emptyOf(column))]));
      await this.#changes.apply([["BulkUpdateRecord", sheet.table, rows.map(({ id }) => id), values]], {
        asTyped: false,
      });
    } catch (error) {
      sheet.fail(error, () => void this.clear());
    }
  }

  async undo(): Promise<void> {
    try {
      if (!(await this.#changes.undo())) toast("There is nothing to take back.");
    } catch (error) {
      this.#sheet.fail(error);
    }
  }

  async redo(): Promise<void> {
    try {
      if (!(await this.#changes.redo())) toast("There is nothing to do again.");
    } catch (error) {
      this.#sheet.fail(error);
    }
  }

  async #do(actions: readonly UserAction[], then: (values: readonly unknown[]) => unknown): Promise<void> {
    try {
      await then(await this.#changes.apply(actions));
    } catch (error) {
      this.#sheet.fail(error, () => void this.#do(actions, then));
    }
  }
}
