/** The tables of a document by the names that people gave them, for the sidebar and titles. */
import type { DocumentGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import type { Context } from "../../../services/context.ts";
import { fetchRecords, listTables } from "../../../services/documents/content.ts";
import { parseRendered } from "../parse-rendered.ts";
import type { NamedTable, RecordsPage, TableListing } from "../table-data.ts";

/**
 * Returns the tables that the caller can read, in their order. None if the document cannot be read: pages about it,
 * such as sharing, still work.
 */
export async function readDocumentTables(ctx: Context, grant: DocumentGrant): Promise<readonly NamedTable[]> {
  try {
    const answer = await listTables(ctx, grant, { expandColumns: false });
    const { tables } = await parseRendered<{ tables: TableListing[] }>(ctx, grant, answer);
    const [titles, groupings] = await Promise.all([readTitles(ctx, grant, tables), readGroupings(ctx, grant, tables)]);
    return tables.map(({ id, fields }) => ({
      id,
      ref: fields.tableRef,
      title: titles.get(fields.rawViewSectionRef ?? 0) ?? id,
      sourceRef: fields.summarySourceTable,
      groupedBy: fields.summarySourceTable > 0 ? (groupings.get(fields.tableRef) ?? []) : [],
    }));
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** Titles of tables are those of their raw sections; by the section's row id. */
async function readTitles(ctx: Context, grant: DocumentGrant, tables: readonly TableListing[]) {
  const id = tables.map(({ fields }) => fields.rawViewSectionRef ?? 0).filter((ref) => ref > 0);
  const records = await readMetadata(ctx, grant, "_grist_Views_section", { id });
  return new Map(
    records.flatMap(({ id: ref, fields: { title } }) =>
      typeof title === "string" && title.trim() !== "" ? [[ref, title] as const] : [],
    ),
  );
}

/** The labels of the columns that summaries group by; by the summary's row id. */
async function readGroupings(ctx: Context, grant: DocumentGrant, tables: readonly TableListing[]) {
  const parentId = tables.filter(({ fields }) => fields.summarySourceTable > 0).map(({ fields }) => fields.tableRef);
  const labels = new Map<number, string[]>();
  for (const { fields } of await readMetadata(ctx, grant, "_grist_Tables_column", { parentId })) {
    const { parentId: ref, summarySourceCol, label, colId } = fields;
    if (typeof ref !== "number" || typeof summarySourceCol !== "number" || summarySourceCol === 0) continue;
    labels.set(ref, [...(labels.get(ref) ?? []), String(label || colId)]);
  }
  return labels;
}

/** Returns nothing where access rules hide the metadata. */
async function readMetadata(
  ctx: Context,
  grant: DocumentGrant,
  table: string,
  filter: Readonly<Record<string, readonly number[]>>,
): Promise<RecordsPage["records"]> {
  if (Object.values(filter).every((values) => values.length === 0)) return [];
  try {
    const args = { table, hidden: true, typed: false, filter: JSON.stringify(filter) };
    return (await parseRendered<RecordsPage>(ctx, grant, await fetchRecords(ctx, grant, args))).records;
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
