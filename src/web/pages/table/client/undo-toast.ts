import type { Content } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import type { UndoManager } from "./undo-manager.ts";
import type { Sheet } from "./sheet.ts";

export interface UndoToastOptions {
  readonly sheet: Pick<Sheet, "showError">;
  readonly changes: UndoManager;
  /** The state of the change; by default, of the latest one. */
  readonly state?: number;
  readonly label?: string;
  /** Called when the change was undone. */
  readonly undone?: () => unknown;
}

/**
 * Reports the change that was just applied, with an Undo button for this change only. The toast closes at the user's
 * next change, because "Undo" would then be misread as undoing that one.
 */
export function showUndoToast(text: Content, { sheet, changes, undone, ...change }: UndoToastOptions): void {
  const { state = changes.latestState, label = t("table.undo") } = change;
  if (state === null) return void showToast(text);
  const run = async () => {
    try {
      if (await changes.undo(state)) await undone?.();
    } catch (error) {
      sheet.showError(error);
    }
  };
  const close = showToast(text, { action: { label, run: () => void run() } });
  const stop = changes.onBeforeChange(() => {
    stop();
    close();
  });
}
