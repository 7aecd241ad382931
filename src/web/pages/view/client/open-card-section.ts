/** Opens a section that shows rows as cards. */
import { followRowAddress } from "../../table/client/rows/follow-row-address.ts";
import { attachViewChips } from "../../table/client/view/view-chips.ts";
import { openCards } from "./cards/open-cards.ts";
import type { SectionController } from "./section-controller.ts";
import { type OpenSectionOptions, sectionSetup } from "./section-setup.ts";
import { attachSectionToolbar, onlySectionToolbar } from "./section-toolbar.ts";
import { SheetSection } from "./sheet-section.ts";

export function openCardSection(options: OpenSectionOptions): SectionController {
  const { page, section, isOnly } = options;
  const { changes } = page;
  const setup = sectionSetup(options);
  const cards = openCards({ ...setup, changes, section });
  const { sheet, rows } = cards;
  const attachTools = isOnly ? onlySectionToolbar(page, section) : attachSectionToolbar;
  attachTools({ sheet, changes, rows, addColumn: null, items: () => page.items(section.ref, cards.openLayout) });
  attachViewChips(sheet);
  followRowAddress({ sheet, changes, rows });
  return new SheetSection(sheet, setup.store, (now) => cards.setSection(now));
}
