/** Reads the pages of a document for the server, as its callers may see them. */
import type { DocumentGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { Context } from "../../../services/context.ts";
import { fetchRecords, listTables } from "../../../services/documents/content.ts";
import { parseRendered } from "../parse-rendered.ts";
import type { RecordJson, RecordsPage, TableListing } from "../table-data.ts";
import { textOf } from "./metadata-values.ts";
import { type PageItem, shownPages } from "./page-list.ts";
import { readSections, type ViewContent } from "./section-data.ts";

type Filter = Readonly<Record<string, readonly number[]>>;

/**
 * Returns the pages of which the caller sees something; none where access rules hide the metadata, or if the document
 * cannot be read: pages about it, such as sharing, still work.
 */
export async function readPages(ctx: Context, grant: DocumentGrant): Promise<PageItem[]> {
  try {
    const [pages, views, tables] = await Promise.all([
      readMetadata(ctx, grant, "_grist_Pages", {}),
      readMetadata(ctx, grant, "_grist_Views", {}),
      readTables(ctx, grant),
    ]);
    const shown = tables.map(({ id, fields }) => ({ id, primaryView: fields.primaryViewId ?? 0 }));
    return shownPages({ pages, views, tables: shown });
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/**
 * Returns a page's sections. Null for a page that does not exist.
 * @throws AppError `forbidden` where access rules hide the metadata
 */
export async function readView(ctx: Context, grant: DocumentGrant, view: number): Promise<ViewContent | null> {
  const [views, sections, tables] = await Promise.all([
    readMetadata(ctx, grant, "_grist_Views", { id: [view] }),
    readMetadata(ctx, grant, "_grist_Views_section", { parentId: [view] }),
    readTables(ctx, grant),
  ]);
  const [stored] = views;
  if (!stored) return null;
  const refs = sections.map(({ id }) => id);
  const [fields, filters] = await Promise.all([
    readMetadata(ctx, grant, "_grist_Views_section_field", { parentId: refs }),
    readMetadata(ctx, grant, "_grist_Filters", { viewSectionRef: refs }),
  ]);
  const tableIds = new Map(tables.map(({ id, fields: { tableRef } }) => [tableRef, id]));
  return {
    view,
    name: textOf(stored.fields["name"]),
    layoutSpec: textOf(stored.fields["layoutSpec"]),
    sections: readSections({ sections, fields, filters }, tableIds),
  };
}

async function readTables(ctx: Context, grant: DocumentGrant): Promise<readonly TableListing[]> {
  const answer = await listTables(ctx, grant, { expandColumns: false });
  return (await parseRendered<{ tables: TableListing[] }>(ctx, grant, answer)).tables;
}

async function readMetadata(
  ctx: Context,
  grant: DocumentGrant,
  table: string,
  filter: Filter,
): Promise<readonly RecordJson[]> {
  if (Object.values(filter).some((values) => values.length === 0)) return [];
  const args = { table, hidden: true, typed: false, filter: JSON.stringify(filter) };
  return (await parseRendered<RecordsPage>(ctx, grant, await fetchRecords(ctx, grant, args))).records;
}
