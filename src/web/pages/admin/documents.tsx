import type { FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import { searchDocuments, type DocumentWithSnapshots } from "../../../services/administration/administration.ts";
import { DisplayName } from "../../base/document-table.tsx";
import { Badge, EmptyState, ShortName, TimeElement } from "../../base/components.tsx";
import { AdminTable, ColumnHeader } from "./admin-table.tsx";
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
        <EmptyState title={t(search === "" ? "admin.documents.none" : "admin.noResults")} icon="file-text" />
      ) : (
        <AdminTable
          label={t("admin.tab.documents")}
          headers={
            <>
              <ColumnHeader label={t("base.documents.name")} />
              <ColumnHeader label={t("admin.documents.location")} />
              <ColumnHeader label={t("base.documents.changed")} kind="short" />
              <ColumnHeader label={t("base.documents.size")} kind="short number" />
            </>
          }
        >
          {items.map((document) => (
            <DocumentRow document={document} />
          ))}
        </AdminTable>
      )}
    </AdminPage>,
  );
}

const DocumentRow: FC<{ document: DocumentWithSnapshots }> = ({ document }) => {
  const t = useTexts();
  const { uuid, name, siteName, workspaceName, role, isRemoved, updatedAt, sizeBytes, snapshots } = document;
  const place = { site: <ShortName text={siteName} />, workspace: <DisplayName name={workspaceName} /> };
  return (
    <tr role="row">
      <th role="rowheader" scope="row">
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
        {snapshots > 0 && <Badge text={t("admin.documents.snapshots", { count: snapshots })} />}
      </th>
      <td role="cell">{t.rich("admin.documents.place", place)}</td>
      <td role="cell" class="short late">
        <TimeElement at={isoTime(updatedAt)} />
      </td>
      <td role="cell" class="short number">
        {sizeBytes === null ? (
          <Badge text={t("admin.documents.fileMissing")} kind="danger" />
        ) : (
          formatSize(t, sizeBytes)
        )}
      </td>
    </tr>
  );
};
