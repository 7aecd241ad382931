/** Changes all rows of the view by its filter, loaded or not: one request and one Undo. */
import { ApiError } from "../../../../base/client/api.ts";
import { confirmDialog } from "../../../../base/client/dialog.ts";
import { HEADER_ROW } from "../../../../base/client/grid/selection.ts";
import { showToast } from "../../../../base/client/toast.ts";
import { t } from "../../../../base/client/texts.ts";
import type { CellValue } from "../../../../../values/cell.ts";
import type { Column } from "../columns/columns.ts";
import { emptyValue } from "../editors/parse-text.ts";
import type { Sheet } from "../sheet.ts";
import type { Applied, UndoManager } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";
import { askIfTooLarge } from "./too-large.ts";

export interface AllRowsOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
}

export type AllRowsCommand = "clear" | "duplicate" | "delete";

/** What to do with the rows, as `POST …/records/change` takes it. */
export type AllRowsChange =
  | { readonly fields: Readonly<Record<string, CellValue>>; readonly noparse: boolean }
  | {
      readonly replace: {
        readonly column: string;
        readonly find: string;
        readonly by: string;
        readonly matchCase: boolean;
      };
    }
  | { readonly action: "duplicate" | "delete" };

interface Changed extends Applied {
  readonly rows: number;
}

export interface RunOptions extends AllRowsOptions {
  /** The number of rows that the user has confirmed. */
  readonly count: number;
  /** The columns that change; all of them by default. */
  readonly columns?: readonly string[];
  /** The message about the changed rows. */
  readonly message: (rows: number) => string;
}

/** The filter of the view, with its search. */
export const viewFilter = ({ view }: Sheet): object => JSON.parse(view.query.filter ?? "{}") as object;

/** Clears the selected columns, duplicates or deletes all rows of the view. */
export async function changeAllRows(command: AllRowsCommand, options: AllRowsOptions): Promise<void> {
  const { sheet } = options;
  if (!sheet.canEdit || (sheet.isSummary && command !== "clear")) return;
  const count = sheet.rowPages.totalCount;
  if (command !== "clear") {
    const message = (rows: number) =>
      command === "delete" ? t("table.row.deleted", { count: rows }) : t("table.row.duplicated", { count: rows });
    return report({ action: command }, { ...options, count, message });
  }
  const { left, right } = sheet.grid.selection.range(sheet.shown.length);
  const cleared = sheet.shown.slice(left, right + 1).filter((each) => sheet.canEditCells(each) && !each.isEmpty);
  if (cleared.length === 0) return void showToast(t("table.change.notEditable"));
  const columns = cleared.map(({ id }) => id);
  const message = (rows: number) => t("table.change.cleared", { count: rows * columns.length });
  await report({ fields: emptyCells(cleared), noparse: true }, { ...options, count, columns, message });
}

export const emptyCells = (columns: readonly Column[]): Record<string, CellValue> =>
  Object.fromEntries(columns.map((column) => [column.id, emptyValue(column)]));

/** Runs a change; a refusal stays above the grid, with "Try again". */
async function report(change: AllRowsChange, options: RunOptions): Promise<void> {
  try {
    await runOnAllRows(change, options);
  } catch (error) {
    options.sheet.showError(error, () => void report(change, options));
  }
}

/**
 * Runs a change on all rows of the view, and asks again if they are not the confirmed number any more. Resolves to false
 * when the user cancels.
 * @throws Failure
 */
export async function runOnAllRows(change: AllRowsChange, options: RunOptions): Promise<boolean> {
  const { sheet, changes, count, columns, message } = options;
  const filter = viewFilter(sheet);
  const savesFirst = await askIfTooLarge(sheet.large, { filter, columns });
  if (savesFirst === null) return false;
  const path = `${sheet.path}/records/change`;
  try {
    const done = await changes.send<Changed>(path, { filter, expectedRows: count, ...change }, { savesFirst });
    const { rows } = done;
    showUndoToast(rows === 0 ? t("table.all.nothing") : message(rows), { sheet, changes });
    void keepFocus(sheet);
    return true;
  } catch (error) {
    const now = error instanceof ApiError ? error.details["matchedRows"] : undefined;
    if (typeof now !== "number") throw error;
    sheet.refresh();
    return review(change, { ...options, count: now }, count);
  }
}

/** Without rows, the keys of the table work in its header. */
async function keepFocus({ rowPages, grid }: Sheet): Promise<void> {
  await rowPages.whenLoaded();
  if (rowPages.count === 0) grid.activate({ row: grid.blankRow ?? HEADER_ROW, column: grid.selection.active.column });
}

/** Asks again with the present number of rows. */
async function review(change: AllRowsChange, options: RunOptions, confirmed: number): Promise<boolean> {
  const { count } = options;
  if (count === 0) {
    showToast(t("table.all.noneLeft", { confirmed }));
    return false;
  }
  const isDeletion = "action" in change && change.action === "delete";
  const isConfirmed = await confirmDialog({
    title: t("table.all.review.title"),
    text: t("table.all.review.text", { count, confirmed }),
    action: isDeletion ? t("table.row.delete", { count }) : t("table.all.review.action", { count }),
    isDangerous: isDeletion,
    submit: async () => {},
  });
  return isConfirmed && runOnAllRows(change, options);
}
