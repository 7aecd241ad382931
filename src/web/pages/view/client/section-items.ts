/** The commands of a section. Commands that change the page load on first use. */
import { errorContent } from "../../../base/client/api.ts";
import type { MenuEntry, MenuItem } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { presentationOf } from "../../../base/views/section-title.ts";
import { type PageModel, sectionOf } from "./page-model.ts";
import type { SectionCommand } from "./section-commands.ts";

export async function runSectionCommand(page: PageModel, ref: number, command: SectionCommand): Promise<void> {
  try {
    const { runCommand } = await import("./section-commands.ts");
    await runCommand(page, ref, command);
  } catch (error) {
    showToast(errorContent(error), { problem: true });
  }
}

export function sectionItems(page: PageModel, ref: number, openCardLayout?: () => void): MenuEntry[] {
  const section = sectionOf(page, ref);
  if (!section) return [];
  const { data } = page;
  const { docId, canChangePage } = data;
  const table = encodeURIComponent(section.table ?? "");
  const presentation = presentationOf(section.kind);
  const hasRows = presentation === "grid" || presentation === "cards";
  const run = (command: SectionCommand) => () => void runSectionCommand(page, ref, command);
  const isCollapsed = data.layout.collapsed.includes(ref);
  const looks: MenuItem[] = [
    { label: t("view.section.rename"), icon: "type", shortcut: "F2", run: run("rename") },
    { label: t("view.section.kind"), icon: "monitor", run: run("kind") },
    ...(hasRows && data.sections.length > 1
      ? [{ label: t("view.link.select"), icon: "link" as const, run: run("selectBy") }]
      : []),
    ...(section.linkSourceSection > 0 ? [unlinkItem(page, ref)] : []),
    ...(openCardLayout ? [{ label: t("view.cards.layout"), icon: "layout-grid" as const, run: openCardLayout }] : []),
    ...(presentation === "grid" ? [{ label: t("view.style"), icon: "paintbrush" as const, run: run("style") }] : []),
  ];
  const isSummary = (data.tables.find(({ ref: table }) => table === section.tableRef)?.sourceRef ?? 0) > 0;
  const summary: MenuItem[] = isSummary
    ? [
        { label: t("pageList.grouping.menu"), icon: "group", run: run("group") },
        { label: t("pageList.detach.menu"), icon: "unlink", run: run("detach") },
      ]
    : [];
  const links: MenuItem[] = [
    { label: t("view.section.table"), icon: "table", href: `/docs/${docId}/tables/${table}` },
    ...(hasRows
      ? [
          {
            label: t("view.section.csv"),
            icon: "download" as const,
            href: `/api/docs/${docId}/download/csv?tableId=${table}&viewSection=${ref}`,
          },
        ]
      : []),
  ];
  if (!canChangePage) return links;
  const removal: MenuItem[] = [
    { label: t("view.section.duplicate"), icon: "copy", run: run("duplicate") },
    ...(data.sections.length > 1
      ? [
          {
            label: isCollapsed ? t("view.section.expand") : t("view.section.collapse"),
            icon: "minimize-2" as const,
            run: run(isCollapsed ? "expand" : "collapse"),
          },
        ]
      : []),
    { label: t("view.section.delete"), icon: "trash-2", isDangerous: true, run: run("remove") },
  ];
  const addition: MenuItem = { label: t("pageList.section.menu"), icon: "plus", run: run("addSection") };
  return [...looks, ...summary, "separator", ...links, "separator", addition, ...removal];
}

const unlinkItem = (page: PageModel, ref: number): MenuItem => ({
  label: t("view.link.remove"),
  icon: "unlink",
  run: () => void runSectionCommand(page, ref, "unlink"),
});

/** The commands of the link in a section's title. */
export function linkItems(page: PageModel, ref: number): MenuEntry[] {
  const section = sectionOf(page, ref);
  const source = section ? sectionOf(page, section.linkSourceSection) : null;
  return [
    ...(source
      ? [
          {
            label: t("view.link.goTo"),
            icon: "arrow-right" as const,
            run: () => page.focusSection(source.ref),
          },
        ]
      : []),
    ...(page.data.canChangePage
      ? [
          {
            label: t("view.link.select"),
            icon: "link" as const,
            run: () => void runSectionCommand(page, ref, "selectBy"),
          },
          unlinkItem(page, ref),
        ]
      : []),
  ];
}
