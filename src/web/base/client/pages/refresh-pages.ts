import { find, findOptional } from "../dom.ts";
import { refreshChangedPart } from "../refresh.ts";
import { initTree } from "../tree.ts";
import { applyPageFolds } from "./page-folds.ts";

/** Shows the pages as they are now. */
export async function refreshPages(docId: string): Promise<void> {
  // Viewers have no list without pages.
  if (!findOptional("#pages")) return;
  let focused = focusedPage();
  const follow = () => (focused = focusedPage());
  document.addEventListener("focusin", follow);
  try {
    if (!(await refreshChangedPart("pages"))) return;
  } finally {
    document.removeEventListener("focusin", follow);
  }
  initTree(find("#pages .tree"));
  applyPageFolds(docId);
  // Entries take the focus again only now. It may have gone elsewhere meanwhile.
  if (focused !== undefined && document.activeElement === document.body)
    findOptional(`#${CSS.escape(focused)}`)?.focus();
}

/** Returns the id of the entry that has the focus. */
export const focusedPage = (): string | undefined => document.activeElement?.closest("#pages li")?.id;
