import type { FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import { searchDocuments, type DocumentWithSnapshots } from "../../../services/administration/administration.ts";
import { DisplayName } from "../../base/document-table.tsx";
import { Badge, EmptyState, Name, TimeElement } from "../../base/components.tsx";
import { AdminPage, MAX_RESULTS, SearchForm, searchQuery, type AdminPageContext } from "./layout.tsx";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { formatSize } from "../../base/sizes.ts";

/** The documents of all sites, the largest first. */
export async function showDocuments(visit: AdminPageContext): Promise<Response> {
  const { c, grant } = visit;
  const t = pageTexts(c);
  const search = searchQuery(c);
  const { items, total } = await searchDocuments(c.env.call.ctx, grant, { search, limit: MAX_RESULTS });
  return renderPage(
    c,
    <AdminPage visit={visit} tab="admin.tab.documents">
      <SearchForm
        action="/admin/documents"
        label={t("admin.documents.search")}
        search={search}
        shownCount={items.length}
        total={total}
      />
      {items.length === 0 ? (
        <EmptyState title={t(search === "" ? "admin.documents.none" : "admin.noResults")} icon="document" />
      ) : (
        <ul class="entries card">
          {items.map((document) => (
            <DocumentItem document={document} />
          ))}
        </ul>
      )}
    </AdminPage>,
  );
}

const DocumentItem: FC<{ document: DocumentWithSnapshots }> = ({ document }) => {
  const t = useTexts();
  const { uuid, name, siteName, workspaceName, role, isRemoved, updatedAt, sizeBytes, snapshots } = document;
  const place = {
    site: <Name text={siteName} />,
    workspace: <DisplayName name={workspaceName} />,
    time: <TimeElement at={isoTime(updatedAt)} />,
  };
  return (
    <li>
      <div class="what">
        {role === null || isRemoved ? (
          <span class="name">
            <DisplayName name={name} />
          </span>
        ) : (
          <a class="name" href={`/docs/${uuid}`}>
            <DisplayName name={name} />
          </a>
        )}
        {isRemoved && <Badge text={t("admin.documents.inTrash")} />}
        <small>
          {snapshots === 0
            ? t.rich("admin.documents.place", place)
            : t.rich("admin.documents.placeWithSnapshots", { count: snapshots, ...place })}
        </small>
      </div>
      <span class="amount">
        {sizeBytes === null ? (
          <Badge text={t("admin.documents.fileMissing")} kind="danger" />
        ) : (
          formatSize(t, sizeBytes)
        )}
      </span>
    </li>
  );
};
