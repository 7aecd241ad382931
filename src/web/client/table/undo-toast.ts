import { toast } from "../base/toast.ts";
import type { Changes } from "./changes.ts";
import type { Sheet } from "./sheet.ts";

export interface UndoToastOptions {
  readonly sheet: Sheet;
  readonly changes: Changes;
  /** Called when the change was undone. */
  readonly undone?: () => unknown;
}

/**
 * Reports the change that was just applied, with an Undo button for this change only. The toast closes when the person
 * changes something else, because from then on "Undo" would be read as undoing that.
 */
export function undoToast(text: string, { sheet, changes, undone }: UndoToastOptions): void {
  const state = changes.latest;
  if (state === null) return void toast(text);
  const run = async () => {
    try {
      if (await changes.undo(state)) await undone?.();
    } catch (error) {
      sheet.fail(error);
    }
  };
  const close = toast(text, { action: { label: "Undo", run: () => void run() } });
  const stop = changes.beforeEach(() => {
    stop();
    close();
  });
}
