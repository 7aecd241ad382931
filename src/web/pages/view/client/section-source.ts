/** The part of a section's title that names the section whose selected row it belongs to. */
import { h, icon, replaceChildren } from "../../../base/client/dom.ts";
import { openMenu } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import { cutName } from "../../../base/names.ts";
import { sectionTitle } from "../../../base/views/section-title.ts";
import type { LinkSource } from "./links.ts";
import type { PageModel } from "./page-model.ts";
import { linkItems } from "./section-items.ts";

export function showSource(page: PageModel, ref: number, source: LinkSource | null): void {
  const name = document.querySelector<HTMLElement>(`#section-${ref} [data-part=name]`);
  if (!name) return;
  const present = name.parentElement?.querySelector<HTMLButtonElement>(".link-source");
  if (source === null) return present?.remove();
  const title = sectionTitle(t, source.section, page.data.tables);
  const label = source.row === "" ? t("view.link.by", { section: title }) : t("view.link.of", { row: source.row });
  const full = t("view.link.menu", { link: label, section: title });
  if (present?.getAttribute("aria-label") === full) return;
  const button = present ?? createButton(page, ref);
  button.setAttribute("aria-label", full);
  button.title = full;
  replaceChildren(button, icon("link"), h("bdi", { translate: "no" }, cutName(label)));
  if (!present) name.after(button);
}

function createButton(page: PageModel, ref: number): HTMLButtonElement {
  const button = h("button", { type: "button", class: "bare link-source", "aria-haspopup": "menu", tabindex: -1 });
  button.addEventListener("click", () => openMenu(button, linkItems(page, ref)));
  return button;
}
