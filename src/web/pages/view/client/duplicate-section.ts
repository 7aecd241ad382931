/** Duplicates a section on its page. */
import { api } from "../../../base/client/api.ts";
import type { RecordsPage } from "../../../base/table-data.ts";
import { copySections, type RuleColumn } from "../../../base/views/duplicate-page.ts";
import type { EditAction } from "../../../base/views/page-edits.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import type { PageModel } from "./page-model.ts";

const TABLES = {
  section: "_grist_Views_section",
  field: "_grist_Views_section_field",
  filter: "_grist_Filters",
} as const;

/** Returns the actions of the copy. @throws Failure */
export async function duplicateSection(
  { data }: PageModel,
  { ref, table, tableRef }: SectionData,
): Promise<EditAction[]> {
  const read = async (name: string, query: Record<string, string | number>) =>
    (await api<RecordsPage>(`/api/docs/${data.docId}/tables/${name}/records`, { query: { ...query, hidden: true } }))
      .records;
  const where = (condition: Record<string, readonly number[]>) => ({ filter: JSON.stringify(condition) });
  const nextId = async (name: string) => ((await read(name, { sort: "-id", limit: 1 }))[0]?.id ?? 0) + 1;
  const [sections, fields, filters, section, field, filter] = await Promise.all([
    read(TABLES.section, where({ id: [ref] })),
    read(TABLES.field, where({ parentId: [ref] })),
    read(TABLES.filter, where({ viewSectionRef: [ref] })),
    nextId(TABLES.section),
    nextId(TABLES.field),
    nextId(TABLES.filter),
  ]);
  const columns = (data.contents[table ?? ""]?.columns ?? []).map(
    ({ id, fields: { colRef, formula } }): RuleColumn => ({ ref: colRef, tableRef, id, formula }),
  );
  const tableIds = new Map(data.tables.map((each) => [each.ref, each.id]));
  const firstIds = { section, field, filter };
  return copySections({ sections, fields, filters }, data.view, { firstIds, columns, tableIds });
}
