/** A page of a document with its sections. */
import { find } from "../../../base/client/dom.ts";
import { onPanelWidth } from "../../../base/client/panel.ts";
import { showToast } from "../../../base/client/toast.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";
import { refreshPages } from "../../../base/client/pages/refresh-pages.ts";
import { errorContent } from "../../../base/client/api.ts";
import type { ViewPageData } from "../../../base/views/view-page-data.ts";
import { attachShortcuts } from "../../table/client/commands/open-shortcuts.ts";
import { attachTableList, importFile, refreshTableList } from "../../table/client/table-list.ts";
import { showKeptToast } from "../../table/client/tables/kept-toast.ts";
import { presentationOf } from "../../../base/views/section-title.ts";
import { showSizes } from "./boxes.ts";
import { CARD_KEY_GROUP } from "./cards/card-keys.ts";
import { followPage } from "./live-page.ts";
import { attachPageBar } from "./page-bar.ts";
import { PageView } from "./page-view.ts";
import { attachRenameKey } from "./rename-key.ts";
import { attachTray } from "./section-tray.ts";
import { attachSectionTabs } from "./section-tabs.ts";

openPage(JSON.parse(find("#view-data").textContent ?? "") as ViewPageData);

function openPage(data: ViewPageData): void {
  const page = new PageView(data);
  const host = find("#view");
  showSizes(host);
  page.open();
  if (!page.isOnly) {
    attachPageBar(page, () => void editLayout(page));
    attachSectionTabs(page);
    attachTray(page);
    if (new URLSearchParams(location.search).get("edit") === "layout") void editLayout(page);
  } else {
    onPanelWidth((width) => page.coverRight(width));
  }
  attachRenameKey(page);
  const hasCards = data.sections.some(({ kind }) => presentationOf(kind) === "cards");
  attachShortcuts(hasCards ? [CARD_KEY_GROUP] : []);
  const noContent = { columns: [], shown: {}, section: null, hasRowRules: false, first: null, table: null };
  const lists = { data: { ...data, ...noContent, canChangeColumns: data.canChangePage }, changes: page.changes };
  attachTableList(lists);
  initDocumentSidebar({
    changes: page.changes,
    importFile: data.canChangePage ? () => void importFile(lists, null) : null,
  });
  void showKeptToast(data.docId, page.changes, (error) => page.showError(error));
  followPage({
    page,
    container: find("#view-live, [data-part=live]"),
    listsChanged() {
      void refreshTableList(lists).catch(() => {});
      void refreshPages(data.docId).catch(() => {});
    },
  });
}

/** Loads the editor on first use. */
async function editLayout(page: PageView): Promise<void> {
  if (!page.data.canChangePage) return;
  try {
    const { openLayoutEditor } = await import("./layout/layout-editor.ts");
    openLayoutEditor(page);
  } catch (error) {
    showToast(errorContent(error), { problem: true });
  }
}
