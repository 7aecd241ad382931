import type { UndoManager } from "../undo-manager.ts";
import { TABLE_TOAST_KEY } from "./toast-key.ts";

/** Shows the report of a change of tables that led to this page. Most pages have none. */
export async function showKeptToast(
  docId: string,
  changes: UndoManager,
  showError: (error: unknown) => void,
): Promise<void> {
  try {
    if (sessionStorage.getItem(TABLE_TOAST_KEY) === null) return;
    (await import("./table-toasts.ts")).showTableToast(docId, changes, showError);
  } catch {
    // Without storage, none was kept.
  }
}
