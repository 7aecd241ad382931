/** Opens a section by its kind. Kinds without rows are links and notes that the server renders; they have a menu only. */
import { t } from "../../../base/client/texts.ts";
import { initToolbar } from "../../../base/client/toolbar.ts";
import { find } from "../../../base/client/dom.ts";
import { presentationOf } from "../../../base/views/section-title.ts";
import { openGridSection } from "./open-grid-section.ts";
import type { OpenSectionOptions } from "./section-setup.ts";
import type { SectionController } from "./section-controller.ts";
import { sectionMenuButton } from "./section-toolbar.ts";

/** Returns null for sections without rows. Cards load on first use. */
export function openSection(options: OpenSectionOptions): SectionController | Promise<SectionController> | null {
  const { page, section, root } = options;
  const presentation = presentationOf(section.kind);
  if (presentation === "grid") return openGridSection(options);
  if (presentation === "cards") {
    return import("./open-card-section.ts").then(({ openCardSection }) => openCardSection(options));
  }
  const toolbar = find("[data-part=toolbar]", root);
  const name = find("[data-part=name]", root).textContent ?? "";
  if (toolbar.querySelector("button") === null) {
    toolbar.append(sectionMenuButton(name, () => page.items(section.ref)));
    initToolbar(toolbar, t("view.section.toolbar", { section: name }));
  }
  return null;
}
