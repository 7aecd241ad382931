/** The tools of a section among others: those of its view, and its menu. Undo and redo are those of the page. */
import { h, icon, replaceChildren } from "../../../base/client/dom.ts";
import { fitTools } from "../../../base/client/fit-tools.ts";
import { attachMenu } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import { initToolbar } from "../../../base/client/toolbar.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import { sectionTitle } from "../../../base/views/section-title.ts";
import { attachToolbar, type ToolbarOptions } from "../../table/client/toolbar.ts";
import { findTool } from "../../table/client/view/find-field.ts";
import { viewTools } from "../../table/client/view/view-tools.ts";
import type { PageModel } from "./page-model.ts";

export function attachSectionToolbar({ sheet, rows, items }: ToolbarOptions): void {
  const { parts } = sheet;
  const name = parts.name.textContent ?? "";
  const view = viewTools(sheet);
  const more = h(
    "button",
    { type: "button", class: "bare more-tools", "aria-label": t("table.tools.more"), hidden: true },
    icon("chevron-down"),
  );
  let fit = (): void => {};
  const search = findTool(sheet, () => fit());
  const addLabel = t("table.tools.row");
  const add = h("button", { type: "button", class: "bare", "aria-label": addLabel, title: addLabel }, icon("plus"));
  add.addEventListener("click", () => void rows.addAndEnter());
  const tools = [
    ...view.tools,
    search.tool,
    ...(sheet.canAddRows
      ? [{ button: add, item: () => ({ label: addLabel, icon: "plus" as const, run: () => void rows.addAndEnter() }) }]
      : []),
  ];
  replaceChildren(parts.tools, h("span", { class: "grow" }), ...tools.map(({ button }) => button), more);
  search.tool.button.after(search.field);
  parts.tools.after(sectionMenuButton(name, items));
  initToolbar(parts.toolbar, t("view.section.toolbar", { section: name }));
  fit = fitTools(parts.tools, tools, more);
  let labels = "";
  sheet.onChange(() => {
    view.show();
    const now = view.tools.map(({ button }) => button.textContent).join("|");
    if (now !== labels) fit();
    labels = now;
  });
  view.show();
}

/** Returns the tools of a section that fills the page, whose heading names the page: its menu is that of the section. */
export const onlySectionToolbar =
  ({ data }: PageModel, section: SectionData) =>
  (options: ToolbarOptions): void => {
    const menuLabel = t("view.section.menu", { section: sectionTitle(t, section, data.tables) });
    attachToolbar({ ...options, menuLabel });
  };

export function sectionMenuButton(name: string, items: ToolbarOptions["items"]): HTMLButtonElement {
  const label = t("view.section.menu", { section: name });
  const button = h(
    "button",
    { type: "button", class: "bare section-menu", "aria-label": label, title: label },
    icon("ellipsis"),
  );
  attachMenu(button, items);
  return button;
}
