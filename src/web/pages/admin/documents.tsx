import type { FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import { formatCount, formatBytes } from "../../../lib/text/formatting.ts";
import { searchDocuments, type DocumentWithSnapshots } from "../../../services/administration/administration.ts";
import { displayName } from "../../base/document-table.tsx";
import { Badge, EmptyState, TimeElement } from "../../base/components.tsx";
import { AdminPage, MAX_RESULTS, SearchForm, searchQuery, type AdminPageContext } from "./layout.tsx";

/** The documents of all sites, the largest first. */
export async function showDocuments(visit: AdminPageContext): Promise<Response> {
  const { c, grant } = visit;
  const search = searchQuery(c);
  const { items, total } = await searchDocuments(c.env.call.ctx, grant, { search, limit: MAX_RESULTS });
  return c.html(
    <AdminPage visit={visit} tab="Documents">
      <SearchForm
        action="/admin/documents"
        label="Search documents, workspaces, sites"
        search={search}
        shownCount={items.length}
        total={total}
      />
      {items.length === 0 ? (
        <EmptyState title={search === "" ? "No documents yet" : "No results"} icon="document" />
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
  const { uuid, name, siteName, workspaceName, role, isRemoved, updatedAt, sizeBytes, snapshots } = document;
  return (
    <li>
      <div class="what">
        {role === null || isRemoved ? (
          <span class="name">{displayName(name)}</span>
        ) : (
          <a class="name" href={`/docs/${uuid}`}>
            {displayName(name)}
          </a>
        )}
        {isRemoved && <Badge text="In the trash" />}
        <small>
          {siteName} · {displayName(workspaceName)} · changed <TimeElement at={isoTime(updatedAt)} />
          {snapshots > 0 && ` · ${formatCount(snapshots, "snapshot", "snapshots")}`}
        </small>
      </div>
      <span class="amount">
        {sizeBytes === null ? <Badge text="File missing" kind="danger" /> : formatBytes(sizeBytes)}
      </span>
    </li>
  );
};
