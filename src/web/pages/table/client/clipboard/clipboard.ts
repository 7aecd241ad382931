import { errorContent } from "../../../../base/client/api.ts";
import { t } from "../../../../base/client/texts.ts";
import { showToast } from "../../../../base/client/toast.ts";
import type { UndoManager } from "../undo-manager.ts";
import { pasteCells, type PasteTarget } from "./paste-dialog.ts";
import { readRange } from "../rows/read-range.ts";
import type { Sheet } from "../sheet.ts";
import { parseTsv, formatTsv } from "./tsv.ts";

/** Larger selections are not copied: no spreadsheet accepts them. */
const MAX_COPIED_CELLS = 2_000_000;

/** How long a press of Ctrl+Shift+V may take to become an event of the clipboard. */
const PASTE_EVENT_MS = 500;

export interface ClipboardCommands {
  /** The next paste shows its preview, also when it fits. */
  askBeforePaste(): void;
}

/** Adds copy and paste of the selection. */
export function attachClipboard(sheet: Sheet, changes: UndoManager): ClipboardCommands {
  let askedAt = -Infinity;
  const on = (name: "copy" | "cut" | "paste", run: (clipboard: DataTransfer | null) => void) =>
    document.addEventListener(name, (event) => {
      if (!isGridTarget(event.target, sheet)) return;
      event.preventDefault();
      run(event.clipboardData);
    });
  on("copy", (clipboard) => copy(sheet, clipboard));
  on("cut", (clipboard) => copy(sheet, clipboard));
  on("paste", (clipboard) => {
    const asks = performance.now() - askedAt < PASTE_EVENT_MS;
    askedAt = -Infinity;
    if (sheet.canEdit) paste(clipboard?.getData("text/plain") ?? "", { sheet, changes, asks });
  });
  return {
    askBeforePaste() {
      askedAt = performance.now();
    },
  };
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

function paste(text: string, options: PasteTarget): void {
  if (text === "" || options.sheet.shown.length === 0) return;
  pasteCells(parseTsv(text), options);
}
