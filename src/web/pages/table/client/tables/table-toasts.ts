/** Toasts about changes of tables, which are shown on the page that the change leads to. */
import { nameElement } from "../../../../base/client/dom.ts";
import type { Child } from "../../../../base/client/dom.ts";
import { t } from "../../../../base/client/texts.ts";
import type { UndoManager } from "../undo-manager.ts";
import { showUndoToast } from "../undo-toast.ts";
import { TABLE_TOAST_KEY } from "./toast-key.ts";

export interface TableToast {
  readonly docId: string;
  readonly kind: "added" | "renamed" | "duplicated" | "deleted" | "imported";
  readonly name: string;
  /** Of a renamed table, and of a copy. */
  readonly newName?: string;
  /** Of an import: the number of its rows. */
  readonly rows?: number;
}

/** Keeps a toast about the latest change for the next page of this window. */
export function keepTableToast({ latestState: state }: UndoManager, toast: TableToast): void {
  try {
    if (state !== null) sessionStorage.setItem(TABLE_TOAST_KEY, JSON.stringify({ ...toast, state }));
  } catch {
    // Without storage, the change is not reported.
  }
}

/** Shows a kept toast, once. */
export function showTableToast(docId: string, changes: UndoManager, showError: (error: unknown) => void): void {
  const kept = sessionStorage.getItem(TABLE_TOAST_KEY);
  sessionStorage.removeItem(TABLE_TOAST_KEY);
  const toast = kept === null ? null : (JSON.parse(kept) as TableToast & { readonly state: number });
  if (toast?.docId !== docId) return;
  showUndoToast(toastText(toast), { sheet: { showError }, changes, state: toast.state });
}

function toastText({ kind, name, newName = "", rows = 0 }: TableToast): Child[] {
  const table = nameElement(name);
  switch (kind) {
    case "added":
      return t.rich("table.added", { table });
    case "renamed":
      return t.rich("table.renamed", { table, name: nameElement(newName) });
    case "duplicated":
      return t.rich("table.duplicated", { table, copy: nameElement(newName) });
    case "deleted":
      return t.rich("table.deleted", { table });
    case "imported":
      return t.rich("table.imported", { table, count: rows });
    default:
      return kind satisfies never;
  }
}
