import { find, findOptional } from "../dom.ts";
import { refreshPart } from "../refresh.ts";
import { initTree } from "../tree.ts";
import { applyPageFolds } from "./page-folds.ts";

/** Shows the pages as they are now. */
export async function refreshPages(docId: string): Promise<void> {
  // Viewers have no list without pages.
  if (!findOptional("#pages")) return;
  const focused = document.activeElement?.closest("#pages li")?.id;
  await refreshPart("pages");
  initTree(find("#pages .tree"));
  applyPageFolds(docId);
  if (focused !== undefined) findOptional(`#${CSS.escape(focused)}`)?.focus();
}
