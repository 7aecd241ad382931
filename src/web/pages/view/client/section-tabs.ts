/** On narrow windows, one section of a page is shown at a time: tabs choose it. */
import { find, h, icon, replaceChildren } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import { leavesOf } from "../../../base/views/box-layout.ts";
import { sectionTitle } from "../../../base/views/section-title.ts";
import type { PageView } from "./page-view.ts";

const NARROW = matchMedia("(max-width: 40rem)");

/** Keeps the tabs up to date. The section of the chosen tab is the active one. */
export function attachSectionTabs(page: PageView): void {
  const host = find("#view-tabs");
  const render = (): void => {
    const shown = leavesOf(page.data.layout.root);
    host.hidden = shown.length < 2;
    const hadFocus = host.contains(document.activeElement);
    const tabs = shown.map((ref) => tabElement(page, ref));
    const list = h("div", { role: "tablist", "aria-label": t("view.tabs") }, ...tabs);
    list.addEventListener("keydown", (event) => moveByKey(event, page, shown));
    replaceChildren(host, list);
    replaceChildren(find("#view-next"), continueButton(page));
    for (const ref of shown) markPanel(page.leafOf(ref), ref);
    if (hadFocus) host.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  };
  let key = "";
  const follow = (): void => {
    const { data, activeSection } = page;
    const now = JSON.stringify([activeSection, data.layout, data.sections.map(({ title }) => title), NARROW.matches]);
    if (now !== key) render();
    key = now;
  };
  page.onChange(follow);
  NARROW.addEventListener("change", follow);
  follow();
}

const titleOf = ({ data }: PageView, ref: number): string => {
  const section = data.sections.find((each) => each.ref === ref);
  return section ? sectionTitle(t, section, data.tables) : "";
};

function tabElement(page: PageView, ref: number): HTMLElement {
  const isSelected = page.activeSection === ref;
  return h(
    "button",
    {
      type: "button",
      role: "tab",
      id: `tab-${ref}`,
      class: "plain small",
      "aria-selected": String(isSelected),
      "aria-controls": `section-${ref}`,
      tabindex: isSelected ? 0 : -1,
      translate: "no",
      onclick: () => page.activate(ref),
    },
    titleOf(page, ref),
  );
}

/** Only where tabs are shown are sections their panels. */
function markPanel(leaf: HTMLElement, ref: number): void {
  for (const name of ["role", "aria-labelledby"]) leaf.removeAttribute(name);
  if (!NARROW.matches) return;
  leaf.setAttribute("role", "tabpanel");
  leaf.setAttribute("aria-labelledby", `tab-${ref}`);
}

/** Leads from the selected row to the section whose rows it selects. */
function continueButton(page: PageView): HTMLElement | null {
  const target = page.data.sections.find(({ linkSourceSection }) => linkSourceSection === page.activeSection);
  if (page.activeSection === null || !target) return null;
  const section = h("bdi", { translate: "no" }, titleOf(page, target.ref));
  return h(
    "button",
    { type: "button", class: "plain", onclick: () => page.activate(target.ref) },
    ...t.rich("view.tabs.continue", { section }),
    icon("arrow-right"),
  );
}

function moveByKey(event: KeyboardEvent, page: PageView, shown: readonly number[]): void {
  const at = shown.indexOf(page.activeSection ?? -1);
  const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: shown.length - 1 };
  const next = shown[((steps[event.key] ?? NaN) + shown.length) % shown.length];
  if (next === undefined) return;
  event.preventDefault();
  page.activate(next);
  document.getElementById(`tab-${next}`)?.focus();
}
