/** The commands that change a section of a page. */
import { formDialog } from "../../../base/client/dialog.ts";
import { formText, inputField } from "../../../base/client/form-field.ts";
import { h, nameElement } from "../../../base/client/dom.ts";
import { type MenuEntry, openMenu } from "../../../base/client/menu.ts";
import { t } from "../../../base/client/texts.ts";
import type { Content } from "../../../base/client/dom.ts";
import type { EditAction } from "../../../base/views/page-edits.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import { saveLayout } from "../../../base/views/save-layout.ts";
import {
  changeSectionKind,
  changeSectionOptions,
  collapseSection,
  expandSection,
  linkSection,
  removeSection,
  renameSection,
} from "../../../base/views/section-edits.ts";
import { type LinkOffer, offeredLinks } from "../../../base/views/link-offers.ts";
import { kindInfo, sectionTitle } from "../../../base/views/section-title.ts";
import { readSectionStyle, ROW_NUMBERS } from "../../../base/views/section-view.ts";
import { showUndoToast } from "../../table/client/undo-toast.ts";
import { duplicateSection } from "./duplicate-section.ts";
import { offerText } from "./offer-text.ts";
import { linkContext, type PageModel, sectionOf } from "./page-model.ts";

export type SectionCommand =
  | "rename"
  | "kind"
  | "selectBy"
  | "unlink"
  | "style"
  | "duplicate"
  | "collapse"
  | "expand"
  | "remove"
  | "addSection"
  | "group"
  | "detach";

const MAX_TITLE_LENGTH = 200;

export async function runCommand(page: PageModel, ref: number, command: SectionCommand): Promise<void> {
  const section = sectionOf(page, ref);
  if (!section) return;
  const { layout } = page.data;
  const name = nameElement(sectionTitle(t, section, page.data.tables));
  switch (command) {
    case "rename":
      return rename(page, section);
    case "kind":
      return void openMenu(page.menuButtonOf(ref), kindItems(page, section));
    case "selectBy":
      return void openMenu(page.menuButtonOf(ref), linkItems(page, section));
    case "style":
      return void openMenu(page.menuButtonOf(ref), styleItems(page, section));
    case "addSection":
      return (await import("./new-sections.ts")).addPageSection(page);
    case "group":
      return (await import("./new-sections.ts")).changeSummary(page, section, "openGrouping");
    case "detach":
      return (await import("./new-sections.ts")).changeSummary(page, section, "detachSummary");
    case "unlink":
      return change(page, linkSection(ref, null), t.rich("view.link.removed", { section: name }));
    case "duplicate":
      return change(page, await duplicateSection(page, section), t.rich("view.section.duplicated", { section: name }));
    case "collapse":
      return change(
        page,
        saveLayout(page.data, collapseSection(layout, ref)),
        t.rich("view.section.collapsed", { section: name }),
      );
    case "expand":
      return change(
        page,
        saveLayout(page.data, expandSection(layout, ref)),
        t.rich("view.section.expanded", { section: name }),
      );
    case "remove":
      return change(page, removeSection(ref), t.rich("view.section.deleted", { section: name }));
    default:
      return command satisfies never;
  }
}

/** Applies an edit, shows it, and offers its undo. */
export async function change(page: PageModel, actions: readonly EditAction[], text: Content): Promise<void> {
  if (actions.length === 0) return;
  await page.changes.apply(actions);
  showUndoToast(text, { sheet: page, changes: page.changes, undone: () => page.reload() });
  await page.reload();
}

async function rename(page: PageModel, section: SectionData): Promise<void> {
  await formDialog({
    title: t("view.section.rename"),
    content: [
      inputField(t("view.section.title"), {
        name: "title",
        value: section.title,
        maxlength: MAX_TITLE_LENGTH,
        translate: "no",
        placeholder: sectionTitle(t, { ...section, title: "" }, page.data.tables),
      }),
      h("p", { class: "hint" }, t("view.section.renameHint")),
    ],
    action: t("view.section.renameAction"),
    submit: async (form) => {
      const title = formText(form, "title");
      if (title !== section.title) await change(page, renameSection(section.ref, title), t("view.section.renamed"));
    },
  });
}

const KINDS = ["record", "detail", "single"] as const;

function kindItems(page: PageModel, { ref, kind }: SectionData): MenuEntry[] {
  return KINDS.map((each) => ({
    label: t(kindInfo(each).label),
    icon: kindInfo(each).icon,
    isChosen: kind === each,
    run: () => void run(page, changeSectionKind(ref, each), t("view.section.kindChanged")),
  }));
}

function linkItems(page: PageModel, section: SectionData): MenuEntry[] {
  const offers = offeredLinks(section, page.data.sections, linkContext(page.data));
  const { linkSourceSection, linkSourceColumn, linkTargetColumn } = section;
  const isChosen = (offer: LinkOffer): boolean =>
    offer.section.ref === linkSourceSection && offer.source === linkSourceColumn && offer.target === linkTargetColumn;
  return [
    {
      label: t("view.link.none"),
      isChosen: linkSourceSection === 0,
      run: () => void run(page, linkSection(section.ref, null), t("view.link.changed")),
    },
    ...offers.map((offer) => ({
      label: offerText(page, offer),
      isChosen: isChosen(offer),
      run: () =>
        void run(
          page,
          linkSection(section.ref, { from: offer.section.ref, source: offer.source, target: offer.target }),
          t("view.link.changed"),
        ),
    })),
  ];
}

function styleItems(page: PageModel, section: SectionData): MenuEntry[] {
  const style = readSectionStyle(section);
  const save = (changes: Record<string, unknown>) =>
    void run(page, changeSectionOptions(section, changes), t("view.style.changed"));
  return [
    {
      label: t("view.style.vertical"),
      isChosen: style.hasVerticalLines,
      run: () => save({ verticalGridlines: !style.hasVerticalLines }),
    },
    {
      label: t("view.style.horizontal"),
      isChosen: style.hasHorizontalLines,
      run: () => save({ horizontalGridlines: !style.hasHorizontalLines }),
    },
    { label: t("view.style.striped"), isChosen: style.isStriped, run: () => save({ zebraStripes: !style.isStriped }) },
    "separator",
    ...ROW_NUMBERS.map((rowNumbers) => ({
      label: rowNumberText(rowNumbers),
      isChosen: style.rowNumbers === rowNumbers,
      run: () => save({ rowNumbers }),
    })),
  ];
}

function rowNumberText(rowNumbers: (typeof ROW_NUMBERS)[number]): string {
  if (rowNumbers === "number") return t("view.style.rowNumber");
  return rowNumbers === "rowId" ? t("view.style.rowId") : t("view.style.noRowNumber");
}

async function run(page: PageModel, actions: readonly EditAction[], text: Content): Promise<void> {
  try {
    await change(page, actions, text);
  } catch (error) {
    page.showError(error, () => void run(page, actions, text));
  }
}
