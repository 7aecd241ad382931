import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { allows, type DocumentGrant } from "../../../authorization.ts";
import type { Context } from "../../../services/context.ts";
import { describeRowLimits, fetchRecords, listColumns } from "../../../services/documents/content.ts";
import { currentEventId } from "../../../services/events/events.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { readDocumentSettings } from "../../base/document-settings.ts";
import { type PageContext, sitePrefix } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Name } from "../../base/components.tsx";
import { SheetFrame } from "../../base/sheet-frame.tsx";
import { tableTitle } from "../../base/table-titles.ts";
import { parseRendered } from "../../base/parse-rendered.ts";
import {
  PAGE_ROWS,
  type ColumnListing,
  type RawSection,
  type RecordsPage,
  type ShownColumn,
  type TablePageData,
} from "../../base/table-data.ts";
import { rowsQuery } from "../../base/view-query.ts";
import { parseViewState, type ViewState } from "../../base/view-state.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";

export const tableRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId", showTable);
  app.get("/docs/:docId/tables/:tableId", showTable);
  for (const path of FORMER_ADDRESSES) app.get(path, redirectFormerAddress);
};

/**
 * Addresses of documents on the established server, which bookmarks and messages contain. Migrated documents keep their
 * former ids as `urlId`.
 */
const FORMER_ADDRESSES = [
  "/doc/:docId",
  "/doc/:docId/p/:page",
  "/:docId{[A-Za-z0-9]{12,}}/:name",
  "/:docId{[A-Za-z0-9]{12,}}/:name/p/:page",
] as const;

const redirectFormerAddress = (c: PageContext): Response =>
  c.redirect(`${sitePrefix(c)}/docs/${c.req.param("docId") ?? ""}`);

const viewOf = (c: PageContext): ViewState => parseViewState(new URL(c.req.url).searchParams);

function showTable(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const name = c.req.param("tableId");
    try {
      const data = await readTablePage(c, visit, name);
      const { filter, sort, groups, find } = viewOf(c);
      const hasChips = data.hasRowRules || Object.keys(filter).length + sort.length + groups.length > 0 || find !== "";
      return await renderPage(c, <TablePage visit={visit} data={data} hasChips={hasChips} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

/** @throws AppError `notFound` for an unknown table, `forbidden` for one that access rules hide */
async function readTablePage(
  c: PageContext,
  { grant, role, tables }: DocumentPageContext,
  name?: string,
): Promise<TablePageData> {
  const { ctx } = c.env.call;
  // Read first: changes during the other reads are then received as events.
  const eventId = await currentEventId(ctx, grant);
  // Independent reads run concurrently: the document may be in a worker thread.
  const columnsOf = async (table: string): Promise<ColumnListing[]> =>
    (
      await parseRendered<{ columns: ColumnListing[] }>(
        ctx,
        grant,
        await listColumns(ctx, grant, { table, hidden: true }),
      )
    ).columns;
  const [settings, known] = await Promise.all([
    readDocumentSettings(ctx, grant),
    name === undefined ? null : columnsOf(name),
  ]);
  const table = name ?? tables.find(({ sourceRef }) => sourceRef === 0)?.id ?? tables[0]?.id ?? null;
  const docId = grant.uuid;
  const { snapshotsKeep, historyBytes: keptBytes, maxUpload: maxUploadBytes } = c.env.call.config;
  const keepsSnapshots = snapshotsKeep > 0;
  const base = { docId, eventId, role, tables, settings, maxUploadBytes, keepsSnapshots, keptBytes };
  const canEdit = role !== "viewers";
  if (table === null) {
    const none = { columns: [], shown: {}, section: null, hasRowRules: false, first: null };
    return { ...base, table, ...none, canChangeColumns: canEdit };
  }
  const columns = known ?? (await columnsOf(table));
  const tableRef = tables.find(({ id }) => id === table)?.ref ?? 0;
  const [first, shown, section, { hasRowRules, mayChangeColumns }] = await Promise.all([
    readFirstRows(c, grant, { table, columns, settings }),
    readShownColumns(ctx, grant, columns),
    readRawSection(ctx, grant, tableRef),
    describeRowLimits(ctx, grant, { table }),
  ]);
  const canChangeColumns = canEdit && mayChangeColumns;
  return { ...base, table, columns, shown, section, hasRowRules, canChangeColumns, first };
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

/** The first rows for the page's URL; null on failure, which the script then shows. */
async function readFirstRows(
  c: PageContext,
  grant: DocumentGrant,
  { table, columns, settings }: Pick<TablePageData, "columns" | "settings"> & { table: string },
): Promise<RecordsPage | null> {
  const { ctx } = c.env.call;
  // The script reads grouped rows, in the order of their groups.
  if (viewOf(c).groups.length > 0) return null;
  const query = rowsQuery(viewOf(c), { columns, settings });
  const args = { table, hidden: true, typed: false, total: true, limit: String(PAGE_ROWS) };
  try {
    const answer = await fetchRecords(ctx, grant, { ...args, ...query });
    return await parseRendered<RecordsPage>(ctx, grant, answer);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

interface TablePageProps {
  visit: DocumentPageContext;
  data: TablePageData;
  /** Whether the script shows chips: their row has its place from the start. */
  hasChips: boolean;
}

const TablePage: FC<TablePageProps> = ({ visit, data, hasChips }) => {
  const { table, docId } = data;
  const mayEdit = allows(visit.role, "editors");
  const t = useTexts();
  const shown = visit.tables.find(({ id }) => id === table);
  return (
    <DocumentPage visit={visit} page="data" table={table} bundle="table" wide>
      {table === null ? (
        <section class="sheet" id="sheet">
          <div id="grid-host" tabindex={-1}>
            <EmptyState title={t("table.noTables.title")} icon="table" isHeading>
              <p>{mayEdit ? t("table.noTables.editor") : t("table.noTables.viewer")}</p>
            </EmptyState>
          </div>
        </section>
      ) : (
        <SheetFrame heading={<Name text={shown ? tableTitle(t, shown, visit.tables) : table} />} hasChips={hasChips}>
          <noscript>
            <p class="note">
              {t.rich("table.noScript", {
                link: (content) => (
                  <a href={`/api/docs/${docId}/download/csv?tableId=${encodeURIComponent(table)}`}>{content}</a>
                ),
              })}
            </p>
          </noscript>
        </SheetFrame>
      )}
      <script type="application/json" id="table-data">
        {raw(JSON.stringify(data).replaceAll("<", "\\u003c"))}
      </script>
    </DocumentPage>
  );
};
