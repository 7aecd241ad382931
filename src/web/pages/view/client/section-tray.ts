/** The collapsed sections of a page: a row of buttons below the others, each of which opens its section in place. */
import { find, h, icon, newId, replaceChildren } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { sectionTitle } from "../../../base/views/section-title.ts";
import type { PageView } from "./page-view.ts";

export function attachTray(page: PageView): void {
  const tray = find("#view-tray");
  let open: number | null = null;
  const buttons = h("div", { class: "tray-buttons", role: "group", "aria-label": t("view.tray") });
  let key = "";
  const render = (): void => {
    const { collapsed } = page.data.layout;
    const now = JSON.stringify([collapsed, open, page.data.sections.map(({ title }) => title)]);
    if (now === key && tray.contains(buttons)) return;
    key = now;
    if (open !== null && !collapsed.includes(open)) open = null;
    tray.hidden = collapsed.length === 0;
    for (const ref of collapsed) page.leafOf(ref).hidden = ref !== open;
    const focused = document.activeElement?.getAttribute("data-tray");
    replaceChildren(buttons, ...collapsed.map((ref) => trayButton(page, ref, { isOpen: ref === open, toggle })));
    tray.append(buttons);
    if (focused) buttons.querySelector<HTMLElement>(`[data-tray="${focused}"]`)?.focus();
  };
  const toggle = (ref: number): void => {
    open = open === ref ? null : ref;
    render();
    if (open === null) return;
    page.openSection(ref);
    page.activate(ref);
    page.leafOf(ref).scrollIntoView({ block: "nearest" });
  };
  page.onChange(render);
  render();
}

function trayButton(
  { data }: PageView,
  ref: number,
  { isOpen, toggle }: { isOpen: boolean; toggle: (ref: number) => void },
): HTMLElement {
  const section = data.sections.find((each) => each.ref === ref);
  return h(
    "button",
    {
      type: "button",
      class: "plain small",
      id: newId("tray"),
      "aria-expanded": String(isOpen),
      "aria-controls": `section-${ref}`,
      "data-tray": ref,
      onclick: () => toggle(ref),
    },
    icon(isOpen ? "chevron-down" : "chevron-right"),
    h("bdi", { translate: "no" }, section ? sectionTitle(t, section, data.tables) : ""),
  );
}
