/** Opens a section that shows rows in a grid. */
import { openSheet } from "../../table/client/open-sheet.ts";
import type { SectionController } from "./section-controller.ts";
import { type OpenSectionOptions, sectionSetup } from "./section-setup.ts";
import { attachSectionToolbar, onlySectionToolbar } from "./section-toolbar.ts";
import { SheetSection } from "./sheet-section.ts";

export function openGridSection(options: OpenSectionOptions): SectionController {
  const { page, section, isOnly } = options;
  const setup = sectionSetup(options);
  const { sheet } = openSheet({
    ...setup,
    changes: page.changes,
    items: () => page.items(section.ref),
    attachTools: isOnly ? onlySectionToolbar(page, section) : attachSectionToolbar,
  });
  return new SheetSection(sheet, setup.store);
}
