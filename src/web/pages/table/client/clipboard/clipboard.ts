import type { CellRange } from "../../../../base/client/grid/selection.ts";
import { selectedRange } from "../commands/range-changes.ts";
import type { UndoManager } from "../undo-manager.ts";
import type { Sheet } from "../sheet.ts";
import { copySelection } from "./copy-selection.ts";
import { pasteText } from "./paste-dialog.ts";

/** How long a press of Ctrl+Shift+V may take to become an event of the clipboard. */
const PASTE_EVENT_MS = 500;

export interface ClipboardOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  /** Clears cells that were cut. */
  readonly clearCut: (range: CellRange) => void;
}

export interface ClipboardCommands {
  /** The next paste shows its preview, also when it fits. */
  askBeforePaste(): void;
  /** Copies the selected cells to the clipboard of the browser, and clears them. */
  cut(): void;
}

/** Adds copy, cut and paste of the selection. */
export function attachClipboard({ sheet, changes, clearCut }: ClipboardOptions): ClipboardCommands {
  let askedAt = -Infinity;
  const on = (name: "copy" | "cut" | "paste", run: (clipboard: DataTransfer | null) => void) =>
    document.addEventListener(name, (event) => {
      if (!isGridTarget(event.target, sheet)) return;
      event.preventDefault();
      run(event.clipboardData);
    });
  on("copy", (clipboard) => void copySelection(sheet, clipboard));
  on("cut", (clipboard) => void cut(clipboard));
  const cut = async (clipboard: DataTransfer | null) => {
    const range = sheet.canEdit ? selectedRange(sheet) : null;
    // Cells that could not be copied are not lost.
    if ((await copySelection(sheet, clipboard, { isSilent: range !== null })) && range) clearCut(range);
  };
  on("paste", (clipboard) => {
    const asks = performance.now() - askedAt < PASTE_EVENT_MS;
    askedAt = -Infinity;
    if (sheet.canEdit) pasteText(clipboard?.getData("text/plain") ?? "", { sheet, changes, asks });
  });
  return {
    askBeforePaste() {
      askedAt = performance.now();
    },
    cut: () => void cut(null),
  };
}

/** True within the grid, and when nothing is focused: a table without rows has no focusable cell. */
function isGridTarget(target: EventTarget | null, { grid, isActive }: Sheet): boolean {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return false;
  const isNowhere =
    isActive &&
    target === document.body &&
    document.querySelector("dialog[open]") === null &&
    getSelection()?.isCollapsed !== false;
  return isNowhere || (target instanceof Node && grid.element.contains(target));
}
