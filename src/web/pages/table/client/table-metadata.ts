/** What the page of a table reads again of its metadata when columns have changed. */
import type {
  ColumnListing,
  RawSection,
  RecordsPage,
  ShownColumn,
  TableContent,
  TablePageData,
} from "../../../base/table-data.ts";
import { apiWithRetry } from "../../../base/client/api.ts";
import { readRules, type StyleRule } from "./cells/conditional-styles.ts";
import { columnsByRef, parseWidgetOptions } from "./columns/columns.ts";

/** Reads what the page of a table shows besides its rows. @throws Failure */
export async function readTableContent(
  data: TablePageData & { readonly table: string },
): Promise<Pick<TableContent, "columns" | "shown" | "section">> {
  const path = `/api/docs/${data.docId}/tables/${encodeURIComponent(data.table)}/columns`;
  const { columns } = await apiWithRetry<{ columns: ColumnListing[] }>(path, { query: { hidden: true } });
  const [shown, section] = await Promise.all([readShownColumns(data, columns), readSection(data)]);
  return { columns, shown, section };
}

/** Returns the display columns of references, of which only unknown ones are read. @throws Failure */
async function readShownColumns(
  { docId, shown: known }: Pick<TablePageData, "docId" | "shown">,
  columns: readonly ColumnListing[],
): Promise<TablePageData["shown"]> {
  const unknown = columns.map(({ fields }) => fields.visibleCol).filter((ref) => ref > 0 && !known[ref]);
  if (unknown.length === 0) return known;
  const path = `/api/docs/${docId}/tables/_grist_Tables_column/records`;
  const { records } = await apiWithRetry<RecordsPage>(path, { query: { filter: JSON.stringify({ id: unknown }) } });
  return { ...known, ...Object.fromEntries(records.map(({ id, fields }) => [id, fields as unknown as ShownColumn])) };
}

/** Returns the section that has the styles of rows; null for none. @throws Failure */
async function readSection({ docId, section }: Pick<TablePageData, "docId" | "section">): Promise<RawSection | null> {
  if (!section) return null;
  const path = `/api/docs/${docId}/tables/_grist_Views_section/records`;
  const filter = JSON.stringify({ id: [section.ref] });
  const { records } = await apiWithRetry<RecordsPage>(path, { query: { filter } });
  const { rules, options } = records[0]?.fields ?? {};
  return { ref: section.ref, rules, options: typeof options === "string" ? options : "" };
}

/** Returns the conditional styles of rows. */
export const rowRulesOf = ({ section, columns }: Pick<TablePageData, "section" | "columns">): StyleRule[] =>
  section ? readRules(section.rules, parseWidgetOptions(section.options), columnsByRef(columns)) : [];
