/** Opens a section that shows rows in a grid. */
import { followColumnAddress } from "../../table/client/columns/column-address.ts";
import { openSheet } from "../../table/client/open-sheet.ts";
import type { SectionController } from "./section-controller.ts";
import { type OpenSectionOptions, sectionSetup } from "./section-setup.ts";
import { attachSectionToolbar } from "./section-toolbar.ts";
import { SheetSection } from "./sheet-section.ts";

export function openGridSection(options: OpenSectionOptions): SectionController {
  const { page, section, isOnly } = options;
  const setup = sectionSetup(options);
  const { sheet } = openSheet({
    ...setup,
    changes: page.changes,
    items: () => page.items(section.ref),
    ...(!isOnly && { attachTools: attachSectionToolbar }),
  });
  followColumnAddress({ sheet, changes: page.changes, section: section.ref });
  return new SheetSection(sheet, setup.store);
}
