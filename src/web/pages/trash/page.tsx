import type { FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import type { DocumentSummary } from "../../../wire/documents/documents.ts";
import type { ListedWorkspace } from "../../../wire/sites/workspaces.ts";
import { sitePrefix, type PageContext } from "../../base/page-context.ts";
import { HomeSidebar } from "../../base/shell/home-sidebar.tsx";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { DisplayName, displayName } from "../../base/document-table.tsx";
import { renderPage, useTexts } from "../../base/page-texts.tsx";
import { isOwner, listSites, type SiteListing } from "../../base/site-listings.ts";
import { Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { EmptyState, Icon, ShortName, TimeElement } from "../../base/components.tsx";

export const trashRoutes: PageRoutes = (app) => {
  app.get("/trash", (c) => withSignedInUser(c, (grant) => renderPage(c, <TrashPage c={c} grant={grant} />)));
};

/** The server's retention period. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

const TrashPage: FC<{ c: PageContext; grant: UserGrant }> = ({ c, grant }) => {
  const t = useTexts();
  const sites = listSites(c, grant, { showRemoved: true, sizes: false }).filter(
    ({ workspaces }) => workspaces.length > 0,
  );
  return (
    <Page
      title={t("trash.title")}
      user={grant.actor}
      here="/trash"
      bundle="trash"
      sidebar={
        <HomeSidebar
          sites={listSites(c, grant, { showRemoved: false, sizes: false })}
          here="/trash"
          prefix={sitePrefix(c)}
        />
      }
      crumbs={[{ to: `${sitePrefix(c)}/`, label: t("base.menu.documents") }]}
      broad
    >
      <p class="quiet">{t("trash.retention")}</p>
      <div id="trash">
        {sites.map((site) => (
          <SiteTrash site={site} />
        ))}
        {sites.length === 0 && (
          <EmptyState title={t("trash.empty.title")} icon="trash-2">
            <p>{t.rich("trash.empty.text", { link: (content) => <a href="/">{content}</a> })}</p>
          </EmptyState>
        )}
      </div>
    </Page>
  );
};

const SiteTrash: FC<{ site: SiteListing }> = ({ site }) => (
  <section class="card" aria-labelledby={`site-${site.org.id}`}>
    <h2 id={`site-${site.org.id}`}>
      <DisplayName name={site.name} />
    </h2>
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
    <Icon name="file-text" />
    <div class="what">
      <span class="name">
        <DisplayName name={document.name} />
      </span>
      <small>
        {useTexts().rich(document.removedBy ? "trash.documentBy" : "trash.document", {
          workspace: <DisplayName name={workspace.name} />,
          ...deletion({ ...document, removedAt: document.removedAt ?? workspace.updatedAt }),
        })}
      </small>
    </div>
    {isOwner(document) && <TrashActions name={document.name} />}
  </li>
);

const RemovedWorkspace: FC<{ workspace: ListedWorkspace; removedAt: string }> = ({ workspace, removedAt }) => {
  const t = useTexts();
  const count = workspace.docs.length;
  const { removedBy } = workspace;
  const details = deletion({ removedAt, removedBy });
  return (
    <li data-workspace={workspace.id} data-name={workspace.name}>
      <Icon name="folder" />
      <div class="what">
        <span class="name">
          <DisplayName name={workspace.name} />
        </span>
        <small>
          {count === 0
            ? t.rich(removedBy ? "trash.emptyWorkspaceBy" : "trash.emptyWorkspace", details)
            : t.rich(removedBy ? "trash.workspaceBy" : "trash.workspace", { count, ...details })}
        </small>
      </div>
      {isOwner(workspace) && <TrashActions name={workspace.name} />}
    </li>
  );
};

const deletion = ({ removedAt, removedBy }: { removedAt: string; removedBy?: { name: string } | undefined }) => ({
  deleted: <TimeElement at={removedAt} />,
  until: <TimeElement at={new Date(Date.parse(removedAt) + RETENTION_MS).toISOString()} as="day" />,
  person: <ShortName text={removedBy?.name ?? ""} />,
});

const TrashActions: FC<{ name: string }> = ({ name }) => {
  const t = useTexts();
  const shownName = displayName(t, name);
  return (
    <div class="bar scripted">
      <button
        type="button"
        class="plain small"
        data-do="restore"
        aria-label={t("trash.restoreNamed", { name: shownName })}
      >
        <Icon name="rotate-ccw" />
        {t("trash.restore")}
      </button>
      <button
        type="button"
        class="danger small"
        data-do="delete"
        aria-label={t("trash.deleteNamed", { name: shownName })}
      >
        {t("trash.delete")}
      </button>
    </div>
  );
};
