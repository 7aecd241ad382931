/** Toasts about changes of pages, with Undo: on this page, or on the one that the change leads to. */
import { showUndoToast } from "../../../pages/table/client/undo-toast.ts";
import type { UndoManager } from "../../../pages/table/client/undo-manager.ts";
import { errorContent } from "../api.ts";
import { type Child, nameElement } from "../dom.ts";
import { t } from "../texts.ts";
import { showToast } from "../toast.ts";
import { PAGE_TOAST_KEY, type PageTreeContext } from "./page-context.ts";
import { refreshPages } from "./refresh-pages.ts";

export interface PageToast {
  readonly kind: "renamed" | "moved" | "deleted" | "duplicated" | "added" | "sectionAdded" | "grouped" | "detached";
  readonly name: string;
  /** Of a renamed page, and of a copy. */
  readonly newName?: string;
}

export function pageToastText({ kind, name, newName = "" }: PageToast): Child[] {
  const page = nameElement(name);
  switch (kind) {
    case "renamed":
      return t.rich("pageList.renamed", { page, name: nameElement(newName) });
    case "moved":
      return t.rich("pageList.moved", { page });
    case "deleted":
      return t.rich("pageList.deleted", { page });
    case "duplicated":
      return t.rich("pageList.duplicated", { page, copy: nameElement(newName) });
    case "added":
      return t.rich("pageList.added", { page });
    case "sectionAdded":
      return [t("pageList.section.added")];
    case "grouped":
      return [t("pageList.grouping.done")];
    case "detached":
      return [t("pageList.detach.done")];
    default:
      return kind satisfies never;
  }
}

const showProblem = (error: unknown): void => void showToast(errorContent(error), { problem: true });

/** Reports the latest change, which the user can undo here. */
export function reportPageChange(context: PageTreeContext, changes: UndoManager, toast: PageToast, state?: number) {
  showUndoToast(pageToastText(toast), {
    sheet: { showError: showProblem },
    changes,
    ...(state !== undefined && { state }),
    undone: () => refreshPages(context.docId),
  });
}

/** Keeps the report of the latest change for the next page of this window. */
export function keepPageToast(
  { docId }: Pick<PageTreeContext, "docId">,
  { latestState: state }: UndoManager,
  toast: PageToast,
): void {
  try {
    if (state !== null) sessionStorage.setItem(PAGE_TOAST_KEY, JSON.stringify({ ...toast, docId, state }));
  } catch {
    // Without storage, the change is not reported.
  }
}

/** Shows a kept report, once. */
export async function showPageToast(context: PageTreeContext): Promise<void> {
  const kept = sessionStorage.getItem(PAGE_TOAST_KEY);
  sessionStorage.removeItem(PAGE_TOAST_KEY);
  if (kept === null) return;
  const toast = JSON.parse(kept) as PageToast & { readonly docId: string; readonly state: number };
  if (toast.docId === context.docId) reportPageChange(context, await context.changes(), toast, toast.state);
}
