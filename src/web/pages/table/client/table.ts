/** The page of a table. */
import type { TablePageData } from "../../../base/table-data.ts";
import { find } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { followColumnAddress } from "./columns/column-address.ts";
import { isNavigating } from "./navigation.ts";
import { UndoManager } from "./undo-manager.ts";
import { openRowStyles } from "./on-first-use.ts";
import { openSheet } from "./open-sheet.ts";
import { subscribeToChanges } from "./live-updates.ts";
import { attachShortcuts } from "./commands/open-shortcuts.ts";
import { followRowAddress } from "./rows/follow-row-address.ts";
import { withStoredIds } from "./rows/stored-ids.ts";
import { showSaving } from "./saving-status.ts";
import type { Sheet } from "./sheet.ts";
import { sheetParts } from "./sheet-parts.ts";
import { initDocumentSidebar } from "../../../base/client/pages/document-sidebar.ts";
import { refreshPages } from "../../../base/client/pages/refresh-pages.ts";
import { onPanelWidth } from "../../../base/client/panel.ts";
import { attachTableList, currentTableItems, importFile, refreshTableList } from "./table-list.ts";
import { dropFiles } from "./tables/drop-files.ts";
import { showKeptToast } from "./tables/kept-toast.ts";
import { AddressViewStore } from "./view/address-view-store.ts";
import { followCellAddress } from "./why/cell-address.ts";

const data = JSON.parse(find("#table-data").textContent ?? "") as TablePageData;
if (data.table === null) void openWithoutTables(data);
else openTable({ ...data, table: data.table });

async function openWithoutTables(page: TablePageData): Promise<void> {
  const changes = new UndoManager(page);
  const context = { data: page, changes };
  attachTableList(context);
  initDocumentSidebar({ changes, importFile: page.canChangeColumns ? () => void importFile(context, null) : null });
  const { attachUndoWithoutTables, offerImport, showProblem } = await import("./tables/no-tables.ts");
  if (page.canChangeColumns) offerImport((source) => void importFile(context, null, source));
  if (page.role !== "viewers") attachUndoWithoutTables(changes);
  void showKeptToast(page.docId, changes, showProblem);
}

function openTable(page: TablePageData & { table: string }): void {
  const { docId, table } = page;
  const changes = new UndoManager(page);
  const context = (sheet: Sheet) => ({ data: page, changes, sheet });
  const { sheet, rows } = openSheet({
    parts: sheetParts(find("#sheet")),
    data: page,
    store: new AddressViewStore({ docId, table }),
    changes,
    items: (each) => [
      ...(each.section
        ? [
            {
              label: t("table.rules.rowsMenu"),
              icon: "paintbrush" as const,
              run: () => void openRowStyles({ sheet: each, changes }),
            },
          ]
        : []),
      ...currentTableItems(context(each)),
    ],
  });
  // A table that the change deleted can no longer be read.
  changes.onChange(() => isNavigating() || sheet.refresh());
  changes.prepareWith((actions) => withStoredIds(actions, [sheet.rowPages]));
  sheet.onImport = (source) => void importFile(context(sheet), table, source);
  onPanelWidth((width) => sheet.grid.setCoveredWidth(width));
  followCellAddress(sheet);
  followRowAddress({ sheet, changes, rows });
  followColumnAddress({ sheet, changes, section: null });
  attachTableList(context(sheet));
  initDocumentSidebar({
    changes,
    importFile: page.canChangeColumns ? () => void importFile(context(sheet), null) : null,
  });
  if (sheet.canEdit) {
    const target = sheet.isSummary ? null : table;
    if (target !== null || page.canChangeColumns)
      dropFiles((source) => void importFile(context(sheet), target, source));
  }
  attachShortcuts();
  showSaving(changes, sheet.parts.saving);
  void showKeptToast(page.docId, changes, (error) => sheet.showError(error));
  // A table without rows takes typing and pasting at once.
  if (sheet.rowPages.isLoaded && sheet.rowPages.count === 0 && document.activeElement === document.body)
    sheet.grid.focus();
  subscribeToChanges({
    sheet,
    eventId: page.eventId,
    container: find("#sheet-live"),
    tablesChanged: () => void refreshTableList(context(sheet)),
    pagesChanged: () => refreshPages(page.docId).catch(() => {}),
  });
}
