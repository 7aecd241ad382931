/** Opens a section that shows rows in a grid. */
import { columnsInSection } from "../../../base/views/field-settings.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import { openSheet } from "../../table/client/open-sheet.ts";
import { sheetParts } from "../../table/client/sheet-parts.ts";
import { type PageModel, sectionOf, tableOf } from "./page-model.ts";
import type { SectionTable } from "./section-controller.ts";
import { attachSectionToolbar } from "./section-toolbar.ts";
import { SectionViewStore } from "./section-view-store.ts";
import { SheetSection } from "./sheet-section.ts";

export interface OpenSectionOptions {
  readonly page: PageModel;
  readonly section: SectionData;
  readonly table: SectionTable;
  /** The element that the server has rendered for it. */
  readonly root: HTMLElement;
  /** Whether it fills the page. */
  readonly isOnly: boolean;
}

export function openGridSection({ page, section, table, root, isOnly }: OpenSectionOptions): SheetSection {
  const { ref } = section;
  const store = new SectionViewStore(section, table.columns);
  const { sheet } = openSheet({
    parts: sheetParts(root),
    data: { ...table, columns: columnsInSection(table.columns, section) },
    store,
    changes: page.changes,
    items: () => page.items(ref),
    isActive: () => page.activeSection === ref,
    async readContent() {
      await page.reload();
      const now = sectionOf(page, ref) ?? section;
      const read = tableOf(page.data, now) ?? table;
      return { ...read, columns: columnsInSection(read.columns, now) };
    },
    ...(!isOnly && { attachTools: attachSectionToolbar }),
  });
  return new SheetSection(sheet, store);
}
