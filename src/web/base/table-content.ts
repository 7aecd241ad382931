/** Reads what a page shows of a table besides its rows, as the caller may see it. */
import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { Context } from "../../services/context.ts";
import { describeRowLimits, fetchRecords, listColumns } from "../../services/documents/content.ts";
import { parseRendered } from "./parse-rendered.ts";
import {
  type ColumnListing,
  type DocumentSettings,
  PAGE_ROWS,
  type RawSection,
  type RecordsPage,
  type ShownColumn,
  type TableContent,
  type TablePageData,
} from "./table-data.ts";
import { rowsQuery } from "./view-query.ts";
import type { ViewState } from "./view-state.ts";

/** @throws AppError `notFound` for an unknown table, `forbidden` for one that access rules hide */
export async function readColumnListings(ctx: Context, grant: DocumentGrant, table: string): Promise<ColumnListing[]> {
  const answer = await listColumns(ctx, grant, { table, hidden: true });
  return (await parseRendered<{ columns: ColumnListing[] }>(ctx, grant, answer)).columns;
}

export interface ReadTable {
  readonly id: string;
  readonly ref: number;
  readonly columns: readonly ColumnListing[];
}

/** Returns what access rules allow; the role of the caller may allow less. */
export async function readTableContent(
  ctx: Context,
  grant: DocumentGrant,
  { id, ref, columns }: ReadTable,
): Promise<TableContent> {
  const [shown, section, { hasRowRules, mayChangeColumns }] = await Promise.all([
    readShownColumns(ctx, grant, columns),
    readRawSection(ctx, grant, ref),
    describeRowLimits(ctx, grant, { table: id }),
  ]);
  return { columns, shown, section, hasRowRules, canChangeColumns: mayChangeColumns };
}

/** Returns the section of a table that belongs to no page, and has the styles of rows; null for none. */
async function readRawSection(ctx: Context, grant: DocumentGrant, tableRef: number): Promise<RawSection | null> {
  try {
    const filter = JSON.stringify({ tableRef: [tableRef], parentId: [0], parentKey: ["record"] });
    const args = { table: "_grist_Views_section", hidden: true, typed: false, filter };
    const { records } = await parseRendered<RecordsPage>(ctx, grant, await fetchRecords(ctx, grant, args));
    const [section] = records;
    if (!section) return null;
    const { rules, options } = section.fields;
    return { ref: section.id, rules, options: typeof options === "string" ? options : "" };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function readShownColumns(
  ctx: Context,
  grant: DocumentGrant,
  columns: readonly ColumnListing[],
): Promise<TablePageData["shown"]> {
  const id = columns.map(({ fields }) => fields.visibleCol).filter((ref) => ref > 0);
  if (id.length === 0) return {};
  try {
    const args = { table: "_grist_Tables_column", hidden: true, typed: false, filter: JSON.stringify({ id }) };
    const { records } = await parseRendered<RecordsPage>(ctx, grant, await fetchRecords(ctx, grant, args));
    const toShownColumn = ({ fields: { type, widgetOptions } }: RecordsPage["records"][number]): ShownColumn => ({
      type: typeof type === "string" ? type : "Any",
      widgetOptions: typeof widgetOptions === "string" ? widgetOptions : "",
    });
    return Object.fromEntries(records.map((record) => [record.id, toShownColumn(record)]));
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}

export interface FirstRows extends Pick<TableContent, "columns"> {
  readonly table: string;
  readonly view: ViewState;
  readonly settings: DocumentSettings;
}

/** Returns the first rows of a view; null on failure, which the script then shows, and for groups, whose rows it reads. */
export async function readFirstRows(
  ctx: Context,
  grant: DocumentGrant,
  { table, view, columns, settings }: FirstRows,
): Promise<RecordsPage | null> {
  if (view.groups.length > 0) return null;
  const query = rowsQuery(view, { columns, settings });
  const args = { table, hidden: true, typed: false, total: true, limit: String(PAGE_ROWS) };
  try {
    const answer = await fetchRecords(ctx, grant, { ...args, ...query });
    return await parseRendered<RecordsPage>(ctx, grant, answer);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
