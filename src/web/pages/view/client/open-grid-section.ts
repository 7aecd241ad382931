/** Opens a section that shows rows in a grid. */
import { followColumnAddress } from "../../table/client/columns/column-address.ts";
import { openSheet } from "../../table/client/open-sheet.ts";
import { followRowAddress } from "../../table/client/rows/follow-row-address.ts";
import type { SectionController } from "./section-controller.ts";
import { type OpenSectionOptions, sectionSetup } from "./section-setup.ts";
import { attachSectionToolbar, onlySectionToolbar } from "./section-toolbar.ts";
import { SheetSection } from "./sheet-section.ts";

export function openGridSection(options: OpenSectionOptions): SectionController {
  const { page, section, isOnly } = options;
  const setup = sectionSetup(options);
  const { changes } = page;
  const { sheet, rows } = openSheet({
    ...setup,
    changes,
    items: () => page.items(section.ref),
    attachTools: isOnly ? onlySectionToolbar(page, section) : attachSectionToolbar,
  });
  followRowAddress({ sheet, changes, rows });
  followColumnAddress({ sheet, changes, section: section.ref });
  return new SheetSection(sheet, setup.store);
}
