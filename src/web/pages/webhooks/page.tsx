import { raw } from "hono/html";
import type { FC } from "hono/jsx";
import { listTables } from "../../../services/documents/content.ts";
import { listWebhooks } from "../../../services/webhooks/webhooks.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { type DocumentPageContext, withDocument, renderErrorPage } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { Icon } from "../../base/components.tsx";
import { parseRendered } from "../../base/parse-rendered.ts";
import { titleOf } from "../../base/table-titles.ts";
import type { ColumnListing, TableListing } from "../../base/table-data.ts";
import type { WebhooksPageData } from "./data.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";

export const webhookRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/webhooks", showWebhooks);
};

function showWebhooks(c: PageContext): Promise<Response> {
  return withDocument(c, "owners", async (visit) => {
    try {
      return await renderPage(c, <WebhooksPage visit={visit} data={await readWebhooksPage(c, visit)} />);
    } catch (error) {
      return renderErrorPage(c, error, visit.user);
    }
  });
}

type TableWithColumns = TableListing & { readonly columns: readonly ColumnListing[] };

async function readWebhooksPage(
  c: PageContext,
  { grant, tables: named }: DocumentPageContext,
): Promise<WebhooksPageData> {
  const { ctx } = c.env.call;
  const t = pageTexts(c);
  const { webhooks } = await listWebhooks(ctx, grant);
  const listed = await listTables(ctx, grant, { expandColumns: true });
  const { tables } = await parseRendered<{ tables: readonly TableWithColumns[] }>(ctx, grant, listed);
  return {
    docId: grant.uuid,
    webhooks,
    tables: tables.map(({ id, columns }) => ({
      id,
      title: titleOf(t, id, named),
      columns: columns.map(({ id: column, fields: { label, type } }) => ({ id: column, label: label || column, type })),
    })),
  };
}

const WebhooksPage: FC<{ visit: DocumentPageContext; data: WebhooksPageData }> = ({ visit, data }) => {
  const t = useTexts();
  return (
    <DocumentPage visit={visit} page="webhooks" bundle="webhooks">
      <div class="bar hooks-top">
        <p class="quiet">{t("webhooks.about")}</p>
        <span class="grow" />
        <button type="button" id="clear-all" class="plain small" hidden>
          {t("webhooks.clearAll")}
        </button>
        <button type="button" id="add" class="scripted">
          <Icon name="plus" />
          {t("webhooks.add")}
        </button>
      </div>
      <div id="hooks-problem" class="problem-place" />
      <div id="hooks">
        <noscript>
          <ul>
            {data.webhooks.map(({ fields: { name, url, tableId } }) => (
              <li translate="no">
                {name || url}, {titleOf(t, tableId, visit.tables)}
              </li>
            ))}
          </ul>
          <p class="note">{t("webhooks.noScript")}</p>
        </noscript>
      </div>
      <script type="application/json" id="webhooks-data">
        {raw(JSON.stringify(data).replaceAll("<", "\\u003c"))}
      </script>
    </DocumentPage>
  );
};
