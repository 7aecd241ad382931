import { errorContent } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { UndoManager } from "../undo-manager.ts";
import { pasteCells } from "./paste-dialog.ts";
import { readRange } from "../rows/row-commands.ts";
import type { Sheet } from "../sheet.ts";
import { parseTsv, formatTsv } from "./tsv.ts";

/** Larger selections are not copied: no spreadsheet accepts them. */
const MAX_COPIED_CELLS = 2_000_000;

/** Adds copy and paste of the selection. */
export function attachClipboard(sheet: Sheet, changes: UndoManager): void {
  const on = (name: "copy" | "cut" | "paste", run: (clipboard: DataTransfer | null) => void) =>
    document.addEventListener(name, (event) => {
      if (!isGridTarget(event.target, sheet)) return;
      event.preventDefault();
      run(event.clipboardData);
    });
  on("copy", (clipboard) => copy(sheet, clipboard));
  on("cut", (clipboard) => copy(sheet, clipboard));
  on("paste", (clipboard) => {
    if (sheet.canEdit) paste(sheet, changes, clipboard?.getData("text/plain") ?? "");
  });
}

/** True within the grid, and when nothing is focused: a table without rows has no focusable cell. */
function isGridTarget(target: EventTarget | null, { grid }: Sheet): boolean {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return false;
  const isNowhere =
    target === document.body &&
    document.querySelector("dialog[open]") === null &&
    getSelection()?.isCollapsed !== false;
  return isNowhere || (target instanceof Node && grid.element.contains(target));
}

function copy(sheet: Sheet, clipboard: DataTransfer | null): void {
  const { top, bottom, left, right } = sheet.grid.selection.range(sheet.shown.length);
  const columns = sheet.shown.slice(left, right + 1);
  const from = Math.max(0, top);
  if ((bottom - from + 1) * columns.length > MAX_COPIED_CELLS) {
    showToast(t("table.copy.tooLarge"), { problem: true });
    return;
  }
  const textOf = (rows: Awaited<ReturnType<typeof readRange>>): string =>
    formatTsv(rows.map((row) => columns.map((column) => column.text(row))));
  const loaded = Array.from({ length: bottom - from + 1 }, (_, at) => sheet.rowPages.rowAt(from + at));
  const showCopied = () => showToast(t("table.copy.done", { count: bottom - from + 1 }));
  if (loaded.every((row) => row !== undefined)) {
    clipboard?.setData("text/plain", textOf(loaded));
    if (loaded.length > 1) showCopied();
    return;
  }
  // Rows that are not loaded arrive later; browsers that require a synchronous write report an error.
  readRange(sheet, from, bottom)
    .then((rows) => navigator.clipboard.writeText(textOf(rows)))
    .then(showCopied, (error: unknown) =>
      showToast(error instanceof DOMException ? t("table.copy.refused") : errorContent(error), { problem: true }),
    );
}

function paste(sheet: Sheet, changes: UndoManager, text: string): void {
  if (text === "" || sheet.shown.length === 0) return;
  const cells = parseTsv(text);
  pasteCells(cells, { sheet, changes });
}
