/**
 * Notices that another user changed a cell while it was edited. The input replaces that value, since it is the later change: a notice
 * shows the value and offers to undo the input.
 */
import type { RecordJson } from "../../../../base/table-data.ts";
import { nameElement } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import { type Column, cellValue } from "../columns/columns.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";

interface WatchOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
}

/** Returns the text that another user gave the cell, from its row as it is now; null if it did not change. */
export type CellWatch = (now: RecordJson | undefined) => string | null;

/** Call when editing begins. Changes of this window may change the cell by formulas: after them, nothing is noticed. */
export function watchCell(row: RecordJson, column: Column, { sheet, changes }: WatchOptions): CellWatch {
  const isSaving = changes.isBusy || sheet.rowPages.isSaving(row.id);
  const count = changes.startedCount;
  return (now) => {
    if (isSaving || count !== changes.startedCount || !now || !Object.hasOwn(now.fields, column.id)) return null;
    const isSame = JSON.stringify(cellValue(now, column.id)) === JSON.stringify(cellValue(row, column.id));
    return isSame ? null : column.text(now);
  };
}

/** Call when the input is stored. */
export function showChangedMeanwhile(text: string | null, options: WatchOptions): void {
  if (text === null || options.changes.latestState === null) return;
  const content =
    text === ""
      ? t("table.edit.clearedMeanwhile")
      : t.rich("table.edit.changedMeanwhile", { value: nameElement(text) });
  showUndoToast(content, { ...options, label: t("table.edit.undoYours") });
}
