/** The sidebar of a document: its tree of pages, whose commands load on first use. */
import type { UndoManager } from "../../../pages/table/client/undo-manager.ts";
import { errorContent } from "../api.ts";
import { keepChoice } from "../choices.ts";
import { findOptional } from "../dom.ts";
import { showToast } from "../toast.ts";
import { listedPage, PAGE_TOAST_KEY, type PageTreeContext } from "./page-context.ts";
import { keepPageFolds } from "./page-folds.ts";
import { refreshPages } from "./refresh-pages.ts";

export interface DocumentSidebarOptions {
  /** Undo and redo of the page, if it has them. */
  readonly changes?: UndoManager;
  /** Opens the import window of the page, for people who may add tables. */
  readonly importFile?: (() => void) | null;
}

export function initDocumentSidebar({ changes, importFile = null }: DocumentSidebarOptions = {}): void {
  const sidebar = findOptional("#sidebar");
  const docId = document.body.dataset["document"];
  if (!sidebar || docId === undefined) return;
  keepTablesOpen(sidebar);
  keepPageFolds(sidebar, docId);
  let own: Promise<UndoManager> | undefined;
  const context: PageTreeContext = { docId, changes: () => (own ??= changesOf(docId, changes)), importFile };
  void showKeptToast(context);
  // Pages with changes of their own follow those of others, too.
  if (!changes) refreshOnReturn(docId);
  if (findOptional("#pages[data-may-edit]")) attachCommands(sidebar, context);
}

/** Shows the current pages when the visitor returns to this window: it receives no events of the document. */
function refreshOnReturn(docId: string): void {
  document.addEventListener("visibilitychange", () => {
    // The list stays as it is while the server cannot be reached.
    if (!document.hidden) refreshPages(docId).catch(() => {});
  });
}

async function changesOf(docId: string, known: UndoManager | undefined): Promise<UndoManager> {
  if (known) return known;
  const { UndoManager: Manager } = await import("../../../pages/table/client/undo-manager.ts");
  return new Manager({ docId, table: null });
}

/** Documents with pages show their tables when the visitor has opened the list. */
function keepTablesOpen(sidebar: HTMLElement): void {
  sidebar.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.closest("#tables")) return;
      keepChoice("quern_tables", target.open ? "open" : "");
    },
    { capture: true },
  );
}

/** Most pages have none. */
async function showKeptToast(context: PageTreeContext): Promise<void> {
  try {
    if (sessionStorage.getItem(PAGE_TOAST_KEY) === null) return;
    const { showPageToast } = await import("./page-toasts.ts");
    await showPageToast(context);
  } catch {
    // Without storage, none was kept.
  }
}

const PAGE = "#pages li[data-page]";

/** The keys of a page: of its moves, and F2. */
const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "indent", ArrowLeft: "outdent" } as const;

function attachCommands(sidebar: HTMLElement, context: PageTreeContext): void {
  const commands = () => import("./page-commands.ts");
  const pageAt = ({ target }: Event): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>(PAGE) : null;
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      showToast(errorContent(error), { problem: true });
    }
  };
  sidebar.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest<HTMLElement>("#pages button");
    const page = pageAt(event);
    if (!button) return;
    if (button.dataset["do"] === "new-page")
      void run(async () => (await import("./new-section-dialog.ts")).openNewSection({ ...context, view: null }));
    if (button.dataset["menu"] === "page" && page)
      void run(async () => (await commands()).openPageMenu(button, listedPage(page), context));
  });
  sidebar.addEventListener("keydown", (event) => {
    const page = pageAt(event);
    if (!page) return;
    const moves = event.altKey && event.shiftKey && !event.ctrlKey && event.key in KEYS;
    const way = undoWay(event);
    if (!moves && event.key !== "F2" && way === null) return;
    event.preventDefault();
    event.stopPropagation();
    const item = listedPage(page);
    if (moves) {
      const command = KEYS[event.key as keyof typeof KEYS];
      void run(async () => (await commands()).movePageBy(item, command, context));
    } else if (way === null) void run(async () => (await commands()).renameListedPage(item, context));
    else
      void run(async () => {
        await (await context.changes())[way]();
        await refreshPages(context.docId);
      });
  });
  sidebar.addEventListener("dragstart", (event) => {
    const page = pageAt(event);
    if (!page || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = "copyMove";
    void run(async () => (await import("./page-drag.ts")).followPageDrag(page, context));
  });
}

function undoWay({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): "undo" | "redo" | null {
  if (!(ctrlKey || metaKey) || altKey) return null;
  if (key.toLowerCase() === "z") return shiftKey ? "redo" : "undo";
  return key.toLowerCase() === "y" ? "redo" : null;
}
