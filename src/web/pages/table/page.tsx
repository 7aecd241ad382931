import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { allows, type DocumentGrant } from "../../../authorization.ts";
import type { Context } from "../../../services/context.ts";
import { fetchRecords, listColumns, listTables } from "../../../services/documents/content.ts";
import { currentEventId } from "../../../services/events/events.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { type PageContext, sitePrefix } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Icon } from "../../base/components.tsx";
import { parseRendered } from "../../base/parse-rendered.ts";
import {
  PAGE_ROWS,
  type ColumnListing,
  type DocumentSettings,
  type RecordsPage,
  type ShownColumn,
  type TableListing,
  type TablePageData,
  withBlanksLast,
} from "../../base/table-data.ts";
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

function showTable(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const name = c.req.param("tableId");
    try {
      const data = await readTablePage(c, visit, name);
      return await renderPage(c, <TablePage visit={visit} data={data} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

/** @throws AppError `notFound` for an unknown table, `forbidden` for one that access rules hide */
async function readTablePage(
  c: PageContext,
  { grant, role }: DocumentPageContext,
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
  const [{ tables }, settings, known] = await Promise.all([
    listTables(ctx, grant, { expandColumns: false }).then((answer) =>
      parseRendered<{ tables: TableListing[] }>(ctx, grant, answer),
    ),
    readSettings(ctx, grant),
    name === undefined ? null : columnsOf(name),
  ]);
  const table = name ?? tables.find(({ fields }) => fields.summarySourceTable === 0)?.id ?? tables[0]?.id ?? null;
  const docId = grant.uuid;
  if (table === null) return { docId, eventId, role, table, tables, columns: [], shown: {}, settings, first: null };
  const columns = known ?? (await columnsOf(table));
  const [first, shown] = await Promise.all([
    readFirstRows(c, grant, { table, columns }),
    readShownColumns(ctx, grant, columns),
  ]);
  return { docId, eventId, role, table, tables, columns, shown, settings, first };
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
  { table, columns }: { table: string; columns: readonly ColumnListing[] },
): Promise<RecordsPage | null> {
  const { ctx } = c.env.call;
  const filter = c.req.query("filter");
  const sort =
    withBlanksLast(c.req.query("sort") ?? "") || (columns.some(({ id }) => id === "manualSort") ? "manualSort" : "");
  const args = { table, hidden: true, typed: false, total: true, limit: String(PAGE_ROWS) };
  try {
    const answer = await fetchRecords(ctx, grant, { ...args, ...(sort && { sort }), ...(filter && { filter }) });
    return await parseRendered<RecordsPage>(ctx, grant, answer);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function readSettings(ctx: Context, grant: DocumentGrant): Promise<DocumentSettings> {
  try {
    const answer = await fetchRecords(ctx, grant, { table: "_grist_DocInfo", hidden: true, typed: false, limit: "1" });
    const { records } = await parseRendered<RecordsPage>(ctx, grant, answer);
    const { timezone, documentSettings } = records[0]?.fields ?? {};
    const parsedSettings =
      typeof documentSettings === "string" && documentSettings ? parseSettings(documentSettings) : {};
    return {
      locale: "en-US",
      ...parsedSettings,
      timezone: typeof timezone === "string" && timezone ? timezone : "UTC",
    };
  } catch (error) {
    // Access rules may hide the metadata from the reader: values are then formatted with defaults.
    if (error instanceof AppError) return { locale: "en-US", timezone: "UTC" };
    throw error;
  }
}

function parseSettings(text: string): Partial<DocumentSettings> {
  try {
    const { locale, currency } = JSON.parse(text) as Record<string, unknown>;
    return {
      ...(typeof locale === "string" && locale && { locale }),
      ...(typeof currency === "string" && currency && { currency }),
    };
  } catch {
    return {};
  }
}

const TablePage: FC<{ visit: DocumentPageContext; data: TablePageData }> = ({ visit, data }) => {
  const { table, docId } = data;
  const mayEdit = allows(visit.role, "editors");
  const t = useTexts();
  return (
    <DocumentPage visit={visit} tab="data" table={table} bundle="table" wide>
      <div class="data">
        <Tables data={data} mayEdit={mayEdit} />
        {table === null ? (
          <section class="sheet" id="sheet">
            <EmptyState title={t("table.noTables.title")} icon="table">
              <p>{mayEdit ? t("table.noTables.editor") : t("table.noTables.viewer")}</p>
            </EmptyState>
          </section>
        ) : (
          <section class="sheet" id="sheet" aria-labelledby="sheet-name">
            <div class="sheet-bar bar">
              <h2 id="sheet-name" translate="no">
                {table}
              </h2>
              <span id="sheet-count" class="quiet" />
              <span class="grow" />
              <div id="sheet-tools" class="bar" />
            </div>
            <div id="sheet-view" class="bar" />
            <div id="sheet-problem" />
            <div id="grid-host" class="grid-host">
              <noscript>
                <p class="note">
                  {t.rich("table.noScript", {
                    link: (content) => (
                      <a href={`/api/docs/${docId}/download/csv?tableId=${encodeURIComponent(table)}`}>{content}</a>
                    ),
                  })}
                </p>
              </noscript>
            </div>
            <p id="sheet-status" class="unseen" role="status" />
          </section>
        )}
      </div>
      <script type="application/json" id="table-data">
        {raw(JSON.stringify(data).replaceAll("<", "\\u003c"))}
      </script>
    </DocumentPage>
  );
};

const Tables: FC<{ data: TablePageData; mayEdit: boolean }> = ({ data: { docId, table, tables }, mayEdit }) => {
  const t = useTexts();
  const own = tables.filter(({ fields }) => fields.summarySourceTable === 0);
  const summaries = tables.filter(({ fields }) => fields.summarySourceTable !== 0);
  const address = (id: string): string => `/docs/${docId}/tables/${encodeURIComponent(id)}`;
  const entry = ({ id }: TableListing) => (
    <li>
      <a href={address(id)} {...(id === table && { "aria-current": "page" })}>
        <Icon name="table" />
        <span class="name" translate="no">
          {id}
        </span>
      </a>
    </li>
  );
  return (
    <nav class="tables" id="tables" aria-label={t("table.tables")} data-edit={mayEdit ? "" : undefined}>
      <ul>{own.map(entry)}</ul>
      {summaries.length > 0 && (
        <>
          <h3>{t("table.summaries")}</h3>
          <ul>{summaries.map(entry)}</ul>
        </>
      )}
    </nav>
  );
};
