import type { FC } from "hono/jsx";
import { isoTime } from "../../lib/clock.ts";
import { count, sizeText } from "../../lib/sizes.ts";
import { searchDocuments, type ShownDocument } from "../../services/administration.ts";
import { shownName } from "../home/documents.tsx";
import { Badge, Empty, Time } from "../parts.tsx";
import { AdminPage, MOST_SHOWN, SearchForm, searchedFor, type AdminVisit } from "./frame.tsx";

/** Every site's documents, the largest first. */
export async function showDocuments(visit: AdminVisit): Promise<Response> {
  const { c, grant } = visit;
  const search = searchedFor(c);
  const { shown, total } = await searchDocuments(c.env.call.ctx, grant, { search, limit: MOST_SHOWN });
  return c.html(
    <AdminPage visit={visit} tab="Documents">
      <SearchForm
        action="/admin/documents"
        label="Search documents, workspaces, sites"
        search={search}
        shown={shown.length}
        total={total}
      />
      {shown.length === 0 ? (
        <Empty title={search === "" ? "There are no documents yet" : "No document is called that"} icon="document" />
      ) : (
        <ul class="entries card">
          {shown.map((document) => (
            <DocumentEntry document={document} />
          ))}
        </ul>
      )}
    </AdminPage>,
  );
}

const DocumentEntry: FC<{ document: ShownDocument }> = ({ document }) => {
  const { uuid, name, siteName, workspaceName, role, isRemoved, updatedAt, sizeBytes, snapshots } = document;
  return (
    <li>
      <div class="what">
        {role === null || isRemoved ? (
          <span class="name">{shownName(name)}</span>
        ) : (
          <a class="name" href={`/docs/${uuid}`}>
            {shownName(name)}
          </a>
        )}
        {isRemoved && <Badge text="In the trash" />}
        <small>
          {siteName} · {shownName(workspaceName)} · changed <Time at={isoTime(updatedAt)} />
          {snapshots > 0 && ` · ${count(snapshots, "snapshot", "snapshots")}`}
        </small>
      </div>
      <span class="amount">
        {sizeBytes === null ? <Badge text="File missing" kind="danger" /> : sizeText(sizeBytes)}
      </span>
    </li>
  );
};
