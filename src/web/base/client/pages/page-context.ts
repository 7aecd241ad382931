/** What the commands of pages need of the page that shows the sidebar. */
import type { UndoManager } from "../../../pages/table/client/undo-manager.ts";

export interface PageTreeContext {
  readonly docId: string;
  /** Undo and redo of the shown page; of the document, on pages without. */
  readonly changes: () => Promise<UndoManager>;
  /** Opens the import window; null on pages without it, and for people who may not add tables. */
  readonly importFile: (() => void) | null;
}

/** A page of the document, as the sidebar lists it. */
export interface ListedPage {
  readonly ref: number;
  readonly view: number;
  readonly name: string;
}

export const listedPage = ({ dataset }: HTMLElement): ListedPage => ({
  ref: Number(dataset["page"]),
  view: Number(dataset["view"]),
  name: dataset["title"] ?? "",
});

/** The key of a toast that the next page of this window shows. */
export const PAGE_TOAST_KEY = "quern.pageToast";
