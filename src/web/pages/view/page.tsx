import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { AppError, type ErrorCode } from "../../../errors.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { type PageContext, sitePrefix } from "../../base/page-context.ts";
import { type DocumentPageContext, renderErrorPage, withDocument } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";
import { type LinkedSectionRow, linkedSectionRow } from "../../base/views/row-address.ts";
import { presentationOf } from "../../base/views/section-title.ts";
import type { ViewPageData } from "../../base/views/view-page-data.ts";
import { PageContent } from "./page-content.tsx";
import { readViewPage } from "./read-view-page.ts";

export const viewRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/pages/:viewId{[0-9]{1,9}}", showView);
  for (const path of FORMER_ADDRESSES) app.get(path, redirectFormerAddress);
};

/** Addresses of pages on the established server, which bookmarks and messages contain. */
const FORMER_ADDRESSES = ["/doc/:docId/p/:page", "/:docId{[A-Za-z0-9]{12,}}/:name/p/:page"] as const;

/** Pages by their numbers; others, such as `acl`, are pages of the document itself. */
function redirectFormerAddress(c: PageContext): Response {
  const page = c.req.param("page") ?? "";
  const path = `${sitePrefix(c)}/docs/${c.req.param("docId") ?? ""}`;
  return c.redirect(/^\d{1,9}$/.test(page) ? `${path}/pages/${page}` : path);
}

function showView(c: PageContext): Promise<Response> {
  const linked = linkedSectionRow(new URL(c.req.url).searchParams);
  return withDocument(c, "viewers", async (visit) => {
    try {
      const data = await readViewPage(c, visit, Number(c.req.param("viewId")));
      if (linked && !data.sections.some(({ ref }) => ref === linked.section)) return redirectToTable(c, linked);
      return await renderPage(c, <ViewPage visit={visit} data={data} />);
    } catch (error) {
      // A link to a row outlives its page, and is sent to readers who may not see it.
      if (linked && error instanceof AppError && PAGE_REFUSALS.includes(error.code)) return redirectToTable(c, linked);
      return renderErrorPage(c, error, visit.user);
    }
  });
}

const PAGE_REFUSALS: readonly ErrorCode[] = ["notFound", "forbidden"];

const redirectToTable = (c: PageContext, { table, row }: LinkedSectionRow): Response =>
  c.redirect(`${sitePrefix(c)}/docs/${c.req.param("docId") ?? ""}/tables/${encodeURIComponent(table)}?row=${row}`);

/** The rows of the only section, or the first of several. */
function skipTarget({ sections }: ViewPageData): string {
  const hasRows = sections.some(({ kind }) => ["grid", "cards"].includes(presentationOf(kind)));
  return hasRows && sections.length === 1 ? "grid-host" : "content";
}

const ViewPage: FC<{ visit: DocumentPageContext; data: ViewPageData }> = ({ visit, data }) => {
  const t = useTexts();
  const name = data.name.trim() === "" ? t("view.unnamed") : data.name;
  return (
    <DocumentPage visit={visit} page="data" view={data.view} title={name} bundle="view" skipTo={skipTarget(data)} wide>
      <PageContent name={name} data={data} />
      <script type="application/json" id="view-data">
        {raw(JSON.stringify(data).replaceAll("<", "\\u003c"))}
      </script>
    </DocumentPage>
  );
};
