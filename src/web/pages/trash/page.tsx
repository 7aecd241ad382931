import type { FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import type { DocumentSummary } from "../../../wire/documents/documents.ts";
import type { ListedWorkspace } from "../../../wire/sites/workspaces.ts";
import type { PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { displayName } from "../../base/document-table.tsx";
import { isOwner, listSites, type SiteListing } from "../../base/site-listings.ts";
import { Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Icon, TimeElement } from "../../base/components.tsx";

export const trashRoutes: PageRoutes = (app) => {
  app.get("/trash", (c) => withSignedInUser(c, (grant) => c.html(<TrashPage c={c} grant={grant} />)));
};

/** The server's retention period. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

const TrashPage: FC<{ c: PageContext; grant: UserGrant }> = ({ c, grant }) => {
  const sites = listSites(c, grant, { showRemoved: true, sizes: false }).filter(
    ({ workspaces }) => workspaces.length > 0,
  );
  return (
    <Page title="Trash" user={grant.actor} here="/trash" bundle="trash" broad>
      <p class="quiet">Documents in the trash are deleted permanently after 30 days.</p>
      <div id="trash">
        {sites.map((site) => (
          <SiteTrash site={site} />
        ))}
        {sites.length === 0 && (
          <EmptyState title="The trash is empty" icon="trash">
            <p>
              Documents and workspaces that you move to the trash appear here. <a href="/">Back to your documents</a>
            </p>
          </EmptyState>
        )}
      </div>
    </Page>
  );
};

const SiteTrash: FC<{ site: SiteListing }> = ({ site }) => (
  <section class="card" aria-labelledby={`site-${site.org.id}`}>
    <h2 id={`site-${site.org.id}`}>{displayName(site.name)}</h2>
    <ul class="removed">
      {site.workspaces.map((workspace) =>
        workspace.removedAt === undefined ? (
          workspace.docs.map((document) => <RemovedDocument document={document} workspace={workspace} />)
        ) : (
          <RemovedWorkspace workspace={workspace} removedAt={workspace.removedAt} />
        ),
      )}
    </ul>
  </section>
);

const RemovedDocument: FC<{ document: DocumentSummary; workspace: ListedWorkspace }> = ({ document, workspace }) => (
  <li data-doc={document.uuid} data-name={document.name}>
    <Icon name="document" />
    <div class="what">
      <span class="name">{displayName(document.name)}</span>
      <small>
        from {displayName(workspace.name)}
        <DeletionDate removedAt={document.removedAt ?? workspace.updatedAt} />
      </small>
    </div>
    {isOwner(document) && <TrashActions name={displayName(document.name)} />}
  </li>
);

const RemovedWorkspace: FC<{ workspace: ListedWorkspace; removedAt: string }> = ({ workspace, removedAt }) => (
  <li data-workspace={workspace.id} data-name={workspace.name}>
    <Icon name="folder" />
    <div class="what">
      <span class="name">{displayName(workspace.name)}</span>
      <small>
        {workspace.docs.length === 0
          ? "empty workspace"
          : `workspace with ${workspace.docs.length} ${workspace.docs.length === 1 ? "document" : "documents"}`}
        <DeletionDate removedAt={removedAt} />
      </small>
    </div>
    {isOwner(workspace) && <TrashActions name={displayName(workspace.name)} />}
  </li>
);

const DeletionDate: FC<{ removedAt: string }> = ({ removedAt }) => (
  <>
    , deleted <TimeElement at={removedAt} />, kept until{" "}
    <TimeElement at={new Date(Date.parse(removedAt) + RETENTION_MS).toISOString()} as="day" />
  </>
);

const TrashActions: FC<{ name: string }> = ({ name }) => (
  <div class="bar scripted">
    <button type="button" class="plain small" data-do="restore" aria-label={`Restore ${name}`}>
      <Icon name="restore" />
      Restore
    </button>
    <button type="button" class="danger small" data-do="delete" aria-label={`Delete ${name} permanently`}>
      Delete
    </button>
  </div>
);
