/** Reads a page of a document for its visitor. */
import type { DocumentGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import { guardPersonalViews } from "../../../services/access/personal-view-guard.ts";
import type { Context } from "../../../services/context.ts";
import { findPersonalView } from "../../../services/documents/personal-views.ts";
import { currentEventId } from "../../../services/events/events.ts";
import { readDataPage } from "../../base/data-page.ts";
import type { PageContext } from "../../base/page-context.ts";
import type { DocumentPageContext } from "../../base/page-guards.tsx";
import { readColumnListings, readFirstRows, readTableContent } from "../../base/table-content.ts";
import type { RecordsPage, TableContent } from "../../base/table-data.ts";
import { parseBoxLayout } from "../../base/views/box-layout.ts";
import { columnsInSection } from "../../base/views/field-settings.ts";
import { readView } from "../../base/views/read-views.ts";
import type { SectionData } from "../../base/views/section-data.ts";
import { ownView } from "../../base/views/section-address.ts";
import { presentationOf } from "../../base/views/section-title.ts";
import { readSectionView } from "../../base/views/section-view.ts";
import type { PersonalView } from "../../../wire/documents/personal-views.ts";
import type { ViewPageData } from "../../base/views/view-page-data.ts";

/** The rows of more sections are read by the script: the page would become large. */
const MAX_EMBEDDED = 2;

/**
 * A page of which the visitor sees no section is as one that does not exist.
 * @throws AppError `notFound`; `forbidden` where access rules hide the metadata
 */
export async function readViewPage(c: PageContext, visit: DocumentPageContext, view: number): Promise<ViewPageData> {
  const { grant, tables, role } = visit;
  const { ctx } = c.env.call;
  const eventId = await currentEventId(ctx, grant);
  // Independent reads run concurrently: the document may be in a worker thread.
  const [page, content] = await Promise.all([readDataPage(c, visit, eventId), readView(ctx, grant, view)]);
  const sections = (content?.sections ?? []).filter(({ table }) => table !== null);
  if (!content || (sections.length === 0 && content.sections.length > 0)) {
    throw new AppError("notFound", "Page not found");
  }
  const ids = [...new Set(sections.flatMap(({ table }) => table ?? []))];
  const read = ids.map(async (id): Promise<[string, TableContent]> => {
    const columns = await readColumnListings(ctx, grant, id);
    const ref = tables.find((each) => each.id === id)?.ref ?? 0;
    return [id, await readTableContent(ctx, grant, { id, ref, columns })];
  });
  const contents = Object.fromEntries(await Promise.all(read));
  const refs = sections.map(({ ref }) => ref);
  const personal = readPersonalViews(ctx, grant, refs);
  return {
    ...page,
    view,
    name: content.name,
    layout: parseBoxLayout(content.layoutSpec, refs),
    layoutSpec: content.layoutSpec,
    sections,
    contents,
    first: await readFirst(c, visit, { sections, contents, personal, settings: page.settings }),
    personal,
    canSaveForMe: grant.actor.kind === "user",
    canChangePage: role !== "viewers" && Object.values(contents).every(({ canChangeColumns }) => canChangeColumns),
  };
}

/** Reads rows of grids whose rows depend on no other section, nor on the address. */
async function readFirst(
  c: PageContext,
  { grant }: DocumentPageContext,
  { sections, contents, personal, settings }: Pick<ViewPageData, "sections" | "contents" | "personal" | "settings">,
): Promise<Record<number, RecordsPage>> {
  const { ctx } = c.env.call;
  if (new URL(c.req.url).search !== "") return {};
  const isReadable = ({ kind, linkSourceSection }: SectionData): boolean =>
    presentationOf(kind) === "grid" && linkSourceSection === 0;
  const read = sections
    .filter(isReadable)
    .slice(0, MAX_EMBEDDED)
    .map(async (section): Promise<[number, RecordsPage][]> => {
      const { table } = section;
      const { columns } = contents[table ?? ""] ?? {};
      if (table === null || !columns) return [];
      const { state } = ownView(readSectionView(section, columns), personal[section.ref], columns);
      const view = { table, view: state, columns: columnsInSection(columns, section), settings };
      const first = await readFirstRows(ctx, grant, view);
      return first ? [[section.ref, first]] : [];
    });
  return Object.fromEntries((await Promise.all(read)).flat());
}

function readPersonalViews(ctx: Context, grant: DocumentGrant, sections: readonly number[]): ViewPageData["personal"] {
  if (grant.actor.kind !== "user") return {};
  const own = guardPersonalViews(grant);
  const found = sections.flatMap((ref): [number, PersonalView][] => {
    const view = findPersonalView(ctx, own, ref);
    return view ? [[ref, view]] : [];
  });
  return Object.fromEntries(found);
}
