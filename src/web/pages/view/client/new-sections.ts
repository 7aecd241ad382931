/** Adds sections to a page, and changes the summaries that sections show. */
import type { NewSectionOptions, OfferColumn, SectionOffer } from "../../../base/client/pages/new-section-dialog.ts";
import type { SummarySection } from "../../../base/client/pages/summary-commands.ts";
import { findOptional, h } from "../../../base/client/dom.ts";
import { t } from "../../../base/client/texts.ts";
import type { ColumnListing } from "../../../base/table-data.ts";
import { offeredLinks } from "../../../base/views/link-offers.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import { showUndoToast } from "../../table/client/undo-toast.ts";
import { offerText } from "./offer-text.ts";
import { linkContext, type PageModel } from "./page-model.ts";

export async function addPageSection(page: PageModel): Promise<void> {
  const { docId, view } = page.data;
  const [{ openNewSection }, { keepPageToast }] = await Promise.all([
    import("../../../base/client/pages/new-section-dialog.ts"),
    import("../../../base/client/pages/page-toasts.ts"),
  ]);
  const options: NewSectionOptions = {
    docId,
    changes: () => Promise.resolve(page.changes),
    view,
    offers: (table) => sectionOffers(page, table),
    async added(section, changes) {
      // A page with a single section loads again: its section had the tools of the page.
      if (page.data.sections.length === 1) {
        keepPageToast(options, changes, { kind: "sectionAdded", name: page.data.name });
        return page.reload();
      }
      await page.reload();
      showUndoToast(t("pageList.section.added"), { sheet: page, changes, undone: () => page.reload() });
      // Its tools are drawn when its rows are.
      if (findOptional(`#section-${section} .section-menu`)) page.focusSection(section);
    },
  };
  await openNewSection(options);
}

interface NewTable {
  readonly id: string;
  readonly ref: number;
  readonly columns: readonly OfferColumn[];
}

/** The ids of links that do not exist yet. */
const NEW_SECTION = 0;

/** Returns the sections of the page that can select rows of a new section. */
function sectionOffers(page: PageModel, { id, ref, columns }: NewTable): SectionOffer[] {
  const target: SectionData = {
    ref: NEW_SECTION,
    view: page.data.view,
    tableRef: ref,
    table: id,
    kind: "record",
    title: "",
    description: "",
    defaultWidth: 100,
    theme: "",
    chartType: "",
    options: "",
    sortColRefs: "",
    layoutSpec: "",
    shareOptions: "",
    linkSourceSection: 0,
    linkSourceColumn: 0,
    linkTargetColumn: 0,
    fields: [],
    filters: [],
  };
  const known = linkContext(page.data);
  const own = columns.map(listedColumn);
  const context = {
    ...known,
    columnsOf: (table: string) => (table === id && known.columnsOf(id).length === 0 ? own : known.columnsOf(table)),
  };
  return offeredLinks(target, page.data.sections, context).map((offer) => ({
    label: h("span", {}, ...offerText(page, offer)).textContent ?? "",
    link: { from: offer.section.ref, source: offer.source, target: offer.target },
  }));
}

const listedColumn = ({ id, ref, label, type }: OfferColumn): ColumnListing => ({
  id,
  fields: {
    colRef: ref,
    label,
    type,
    isFormula: false,
    formula: "",
    widgetOptions: "",
    description: "",
    displayCol: 0,
    visibleCol: 0,
    parentPos: null,
    reverseCol: 0,
    summarySourceCol: 0,
    recalcWhen: 0,
  },
});

/** Returns the table that a section summarises; null for sections that show records. */
export function summarisedTable({ data }: PageModel, { tableRef }: SectionData): { ref: number; title: string } | null {
  const sourceRef = data.tables.find(({ ref }) => ref === tableRef)?.sourceRef ?? 0;
  return sourceRef === 0 ? null : (data.tables.find(({ ref }) => ref === sourceRef) ?? null);
}

/** Asks for the columns to group by, or whether to make the summary an ordinary table. */
export async function changeSummary(
  page: PageModel,
  section: SectionData,
  command: "openGrouping" | "detachSummary",
): Promise<void> {
  const source = summarisedTable(page, section);
  if (!source) return;
  const summary: SummarySection = {
    docId: page.data.docId,
    section: section.ref,
    tableRef: section.tableRef,
    source,
    changes: page.changes,
    reloads: page.data.sections.length === 1,
    changed: () => page.reload(),
    showError: (error) => page.showError(error),
  };
  const commands = await import("../../../base/client/pages/summary-commands.ts");
  await commands[command](summary);
}
