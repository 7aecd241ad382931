/** Which pages of a document are folded in this browser: where the visitor changed it, not as the document says. */
import { findOptional } from "../dom.ts";
import { FOLD_EVENT } from "../tree.ts";

const keyOf = (docId: string): string => `quern.folds.${docId}`;

/** Folds and unfolds pages as they were left, and keeps what changes. */
export function keepPageFolds(sidebar: HTMLElement, docId: string): void {
  applyPageFolds(docId);
  sidebar.addEventListener(FOLD_EVENT, ({ target }) => {
    if (!(target instanceof HTMLElement) || target.dataset["page"] === undefined) return;
    const isFolded = target.getAttribute("aria-expanded") === "false";
    try {
      localStorage.setItem(keyOf(docId), JSON.stringify({ ...readFolds(docId), [target.dataset["page"]]: isFolded }));
    } catch {
      // Without storage, pages are folded as the document says.
    }
  });
}

export function applyPageFolds(docId: string): void {
  for (const [page, isFolded] of Object.entries(readFolds(docId))) {
    const item = findOptional(`#pages [data-page="${CSS.escape(page)}"][aria-expanded]`);
    const hasCurrent = item?.nextElementSibling?.querySelector("[aria-current]");
    if (item) item.setAttribute("aria-expanded", String(isFolded !== true || Boolean(hasCurrent)));
  }
}

function readFolds(docId: string): Record<string, unknown> {
  try {
    return (JSON.parse(localStorage.getItem(keyOf(docId)) ?? "{}") ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
