/** What the sections of a page share: its data, its undo, and the section that keys are for. */
import type { UndoManager } from "../../table/client/undo-manager.ts";
import type { LinkContext } from "../../../base/views/link-of.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import type { ViewPageData } from "../../../base/views/view-page-data.ts";
import type { MenuEntry } from "../../../base/client/menu.ts";
import type { SectionTable } from "./section-controller.ts";

export interface PageModel {
  readonly data: ViewPageData;
  readonly changes: UndoManager;
  /** The section that keys and commands of the page are for. */
  readonly activeSection: number | null;
  /** Reads the page again after a change of its metadata. @throws Failure */
  reload(): Promise<void>;
  /** The commands of a section. */
  items(section: number, openCardLayout?: () => void): MenuEntry[];
  /** The button of a section's menu. */
  menuButtonOf(section: number): HTMLElement;
  /** Shows a section, and moves the focus there. */
  focusSection(section: number): void;
  showError(error: unknown, retry?: () => void): void;
}

/** Returns a section as the page has it now; null when it is gone. */
export const sectionOf = ({ data }: Pick<PageModel, "data">, ref: number): SectionData | null =>
  data.sections.find((each) => each.ref === ref) ?? null;

/** Returns the table of a section; null when the reader does not see it. */
export function tableOf(data: ViewPageData, { ref, table }: SectionData): SectionTable | null {
  const content = data.contents[table ?? ""];
  if (table === null || !content) return null;
  const canChangeColumns = data.role !== "viewers" && content.canChangeColumns;
  return { ...data, ...content, canChangeColumns, table, first: data.first[ref] ?? null };
}

export const linkContext = ({ tables, contents }: ViewPageData): LinkContext => ({
  tables,
  columnsOf: (table) => contents[table]?.columns ?? [],
});
