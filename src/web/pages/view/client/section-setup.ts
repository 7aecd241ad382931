/** What sheets of sections have in common, whether they show rows or cards. */
import { contentOfSection } from "../../../base/views/field-settings.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import type { SheetSetup } from "../../table/client/sheet-setup.ts";
import { sheetParts } from "../../table/client/sheet-parts.ts";
import { type PageModel, sectionOf, tableOf } from "./page-model.ts";
import type { SectionTable } from "./section-controller.ts";
import { SectionSaving } from "./saving/section-saving.ts";
import { SavedViewStore } from "./saving/saved-view-store.ts";

export interface OpenSectionOptions {
  readonly page: PageModel;
  readonly section: SectionData;
  readonly table: SectionTable;
  /** The element that the server has rendered for it. */
  readonly root: HTMLElement;
  /** Whether it fills the page. */
  readonly isOnly: boolean;
}

export function sectionSetup({ page, section, table, root }: OpenSectionOptions): SheetSetup & {
  readonly store: SavedViewStore;
} {
  const { ref } = section;
  const { docId, settings, personal, canChangePage, canSaveForMe } = page.data;
  const { columns } = table;
  const store = new SavedViewStore({ section, columns, timezone: settings.timezone, personal: personal[ref] ?? null });
  store.saving = new SectionSaving({
    docId,
    store,
    changes: page.changes,
    canSaveForAll: canChangePage,
    canSaveForMe,
    reload: () => page.reload(),
    showError: (error, retry) => page.showError(error, retry),
  });
  return {
    parts: sheetParts(root),
    data: contentOfSection(table, section),
    store,
    isActive: () => page.activeSection === ref,
    async readContent() {
      await page.reload();
      const now = sectionOf(page, ref) ?? section;
      const read = tableOf(page.data, now) ?? table;
      return contentOfSection(read, now);
    },
  };
}
