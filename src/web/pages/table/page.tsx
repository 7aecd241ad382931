import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { allows } from "../../../authorization.ts";
import { currentEventId } from "../../../services/events/events.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { readDataPage } from "../../base/data-page.ts";
import { type PageContext, sitePrefix } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Name } from "../../base/components.tsx";
import { SheetFrame } from "../../base/sheet-frame.tsx";
import { readColumnListings, readFirstRows, readTableContent } from "../../base/table-content.ts";
import { tableTitle } from "../../base/table-titles.ts";
import type { TablePageData } from "../../base/table-data.ts";
import { parseViewState, type ViewState } from "../../base/view-state.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";

export const tableRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId", showFirst);
  app.get("/docs/:docId/tables/:tableId", showTable);
  for (const path of FORMER_ADDRESSES) app.get(path, redirectFormerAddress);
};

/**
 * Addresses of documents on the established server, which bookmarks and messages contain. Migrated documents keep their
 * former ids as `urlId`.
 */
const FORMER_ADDRESSES = ["/doc/:docId", "/:docId{[A-Za-z0-9]{12,}}/:name"] as const;

const redirectFormerAddress = (c: PageContext): Response =>
  c.redirect(`${sitePrefix(c)}/docs/${c.req.param("docId") ?? ""}`);

const viewOf = (c: PageContext): ViewState => parseViewState(new URL(c.req.url).searchParams);

/** A document opens with its first page; one without pages, with its first table. */
function showFirst(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", (visit) => {
    const [first] = visit.pages;
    if (!first) return renderTable(c, visit);
    const { search } = new URL(c.req.url);
    return c.redirect(`${visit.prefix}/docs/${visit.document.uuid}/pages/${first.view}${search}`);
  });
}

const showTable = (c: PageContext): Promise<Response> => withDocument(c, "viewers", (visit) => renderTable(c, visit));

async function renderTable(c: PageContext, visit: DocumentPageContext): Promise<Response> {
  const name = c.req.param("tableId");
  try {
    const data = await readTablePage(c, visit, name);
    const { filter, sort, groups, find } = viewOf(c);
    const hasChips = data.hasRowRules || Object.keys(filter).length + sort.length + groups.length > 0 || find !== "";
    return await renderPage(c, <TablePage visit={visit} data={data} hasChips={hasChips} />);
  } catch (error) {
    return renderErrorPage(c, error, visit.user);
  }
}

/** @throws AppError `notFound` for an unknown table, `forbidden` for one that access rules hide */
async function readTablePage(
  c: PageContext,
  { grant, role, tables }: DocumentPageContext,
  name?: string,
): Promise<TablePageData> {
  const { ctx } = c.env.call;
  const eventId = await currentEventId(ctx, grant);
  // Independent reads run concurrently: the document may be in a worker thread.
  const [page, known] = await Promise.all([
    readDataPage(c, { grant, role, tables }, eventId),
    name === undefined ? null : readColumnListings(ctx, grant, name),
  ]);
  const { settings } = page;
  const table = name ?? tables.find(({ sourceRef }) => sourceRef === 0)?.id ?? tables[0]?.id ?? null;
  const canEdit = role !== "viewers";
  if (table === null) {
    const none = { columns: [], shown: {}, section: null, hasRowRules: false, first: null };
    return { ...page, table, ...none, canChangeColumns: canEdit };
  }
  const columns = known ?? (await readColumnListings(ctx, grant, table));
  const ref = tables.find(({ id }) => id === table)?.ref ?? 0;
  const [first, content] = await Promise.all([
    readFirstRows(ctx, grant, { table, view: viewOf(c), columns, settings }),
    readTableContent(ctx, grant, { id: table, ref, columns }),
  ]);
  return { ...page, table, ...content, canChangeColumns: canEdit && content.canChangeColumns, first };
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
