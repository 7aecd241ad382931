import type { Child, FC } from "hono/jsx";
import type { Role, UserActor } from "../../../authorization.ts";
import { describeOrg } from "../../../services/sites/orgs.ts";
import { guardSignedIn, guardSite, guardWorkspace } from "../../../services/access/guards.ts";
import { describeWorkspace } from "../../../services/sites/workspaces.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { type PageContext, sitePrefix, signedInUser } from "../../base/page-context.ts";
import { withDocument, renderErrorPage, redirectToSignIn } from "../../base/page-guards.tsx";
import { Page } from "../../base/layout.tsx";
import { displayName } from "../../base/document-table.tsx";
import { HomeSidebar, workspacePath } from "../../base/shell/home-sidebar.tsx";
import { listSites } from "../../base/site-listings.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import type { LabelKey } from "../../texts/texts.ts";
import { Badge, HelpLink, Icon, Note, ShortName } from "../../base/components.tsx";
import { documentSharing, type ResourceKind, siteSharing, workspaceSharing } from "./data.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";
import { type InheritedFrom, ROLE_LABELS, ROLE_OPTIONS, type SharedResource, UserList } from "./user-list.tsx";

export const sharingRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/sharing", showDocument);
  app.get("/workspaces/:workspaceId/sharing", showWorkspace);
  app.get("/sites/:org/sharing", showSite);
};

function showDocument(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const { grant, user, document, role, prefix } = visit;
    if (!user) return redirectToSignIn(c);
    const resource: SharedResource = {
      kind: "document",
      name: document.name,
      path: `/api/docs/${grant.uuid}/access`,
      inheritedFrom: {
        kind: "workspace",
        name: document.workspace.name,
        href: `${prefix}/workspaces/${document.workspace.id}/sharing`,
      },
      isOwner: role === "owners",
      sharing: documentSharing(c.env.call.ctx, grant, c.env.call.config.invitationLinks),
    };
    return renderPage(
      c,
      <DocumentPage visit={visit} page="sharing" bundle="sharing">
        <SharingView place={resource} />
      </DocumentPage>,
    );
  });
}

function showWorkspace(c: PageContext): Promise<Response> | Response {
  const { ctx } = c.env.call;
  const user = signedInUser(c);
  if (!user) return redirectToSignIn(c);
  try {
    const grant = guardWorkspace(ctx, user, c.req.param("workspaceId") ?? "", "viewers");
    const { id, name, org } = describeWorkspace(ctx, grant, { showRemoved: false, sizes: false });
    const prefix = sitePrefix(c);
    const resource: SharedResource = {
      kind: "workspace",
      name,
      path: `/api/workspaces/${id}/access`,
      inheritedFrom: {
        kind: "site",
        name: org.name,
        href: org.owner === null ? `${prefix}/sites/${org.domain}/sharing` : null,
      },
      isOwner: grant.role === "owners",
      sharing: workspaceSharing(ctx, grant, c.env.call.config.invitationLinks),
    };
    return renderPage(
      c,
      <SharingPage
        user={user}
        resource={resource}
        back={`${prefix}${workspacePath(id)}`}
        sidebar={homeSidebar(c, user, workspacePath(id))}
      >
        <SharingView place={resource} />
      </SharingPage>,
    );
  } catch (error) {
    return renderErrorPage(c, error, user);
  }
}

function showSite(c: PageContext): Promise<Response> | Response {
  const { ctx, scope } = c.env.call;
  const user = signedInUser(c);
  if (!user) return redirectToSignIn(c);
  try {
    const grant = guardSite(ctx, user, scope, c.req.param("org") ?? "", "members");
    const { id, name } = describeOrg(ctx, grant);
    const resource: SharedResource = {
      kind: "site",
      name,
      path: `/api/orgs/${id}/access`,
      inheritedFrom: null,
      isOwner: grant.role === "owners",
      sharing: siteSharing(ctx, grant, c.env.call.config.invitationLinks),
    };
    return renderPage(
      c,
      <SharingPage
        user={user}
        resource={resource}
        back={`${sitePrefix(c)}/`}
        sidebar={homeSidebar(c, user, `/sites/${id}`)}
      >
        <SharingView place={resource} />
      </SharingPage>,
    );
  } catch (error) {
    return renderErrorPage(c, error, user);
  }
}

const homeSidebar = (c: PageContext, user: UserActor, here: string): Child => (
  <HomeSidebar
    sites={listSites(c, guardSignedIn(user), { showRemoved: false, sizes: false })}
    here={here}
    prefix={sitePrefix(c)}
  />
);

interface SharingPageProps {
  user: NonNullable<ReturnType<typeof signedInUser>>;
  resource: SharedResource;
  back: string;
  sidebar: Child;
  children?: Child;
}

/** Labels of links to the sharing pages of a workspace and a site. */
const SHARING_OF = {
  workspace: "sharing.of.workspace",
  site: "sharing.of.site",
} as const;

/** The frame of the sharing pages of workspaces and sites. */
const SharingPage: FC<SharingPageProps> = ({ user, resource, back, sidebar, children }) => {
  const t = useTexts();
  return (
    <Page
      title={t("sharing.title", { name: displayName(t, resource.name) })}
      user={user}
      bundle="sharing"
      broad
      sidebar={sidebar}
      crumbs={[{ to: back, label: t("sharing.home") }]}
      name={t("base.document.sharing")}
      heading={
        <div class="page-heading">
          <h1>{t.rich("sharing.heading", { name: <ShortName text={resource.name} /> })}</h1>
          <Badge text={t(resource.kind === "site" ? "sharing.site" : "sharing.workspace")} />
          <HelpLink topic="sharing" />
        </div>
      }
    >
      {children}
    </Page>
  );
};

const SharingView: FC<{ place: SharedResource }> = ({ place }) => (
  <div
    class="sharing"
    id="sharing"
    data-path={place.path}
    data-kind={place.kind}
    data-name={place.name}
    data-above-kind={place.inheritedFrom?.kind}
    data-above={place.inheritedFrom?.name}
  >
    <div>
      {place.isOwner && <Invitation kind={place.kind} />}
      <UserList place={place} />
    </div>
    <div>
      {place.isOwner && place.kind !== "site" && <PublicAccess place={place} kind={place.kind} />}
      {place.inheritedFrom && <Inheritance place={place} above={place.inheritedFrom} />}
    </div>
  </div>
);

const Invitation: FC<{ kind: ResourceKind }> = ({ kind }) => {
  const t = useTexts();
  return (
    <form class="card scripted" id="invite">
      <h2>{t("sharing.invite.title")}</h2>
      <label>
        {t("sharing.invite.emails")}
        <textarea
          name="emails"
          rows={2}
          required
          aria-describedby="invite-hint"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <p class="hint" id="invite-hint">
        {t("sharing.invite.hint")}
      </p>
      <div class="row">
        <label>
          {t("sharing.role")}
          <select name="role">
            {ROLE_OPTIONS[kind].map(([value, label]) => (
              <option value={value} selected={value === "editors"}>
                {t(label)}
              </option>
            ))}
          </select>
        </label>
        <button>
          <Icon name="plus" />
          {t("sharing.invite.submit")}
        </button>
      </div>
      <div class="problem-place" id="invite-problem" />
    </form>
  );
};

const PUBLIC_TEXTS = {
  document: { viewers: "sharing.public.viewDocument", editors: "sharing.public.editDocument" },
  workspace: { viewers: "sharing.public.viewWorkspace", editors: "sharing.public.editWorkspace" },
} as const;

const PublicAccess: FC<{ place: SharedResource; kind: "document" | "workspace" }> = ({ place, kind }) => {
  const t = useTexts();
  const { ownRole, inheritedRole } = place.sharing.publicAccess;
  const role = ownRole ?? inheritedRole;
  return (
    <section class="card" id="public" aria-labelledby="public-title">
      <h2 id="public-title">{t("sharing.public.title")}</h2>
      <label>
        {t("sharing.public.link")}
        <select data-do="public" data-before={ownRole ?? ""}>
          <option value="" selected={ownRole === null}>
            {inheritedRole === null
              ? t("base.role.none")
              : t("sharing.public.inherited", { role: t(ROLE_LABELS[inheritedRole]) })}
          </option>
          <option value="viewers" selected={ownRole === "viewers"}>
            {t("base.role.viewers")}
          </option>
          <option value="editors" selected={ownRole === "editors"}>
            {t("base.role.editors")}
          </option>
        </select>
      </label>
      {role !== null && <Note text={t(PUBLIC_TEXTS[kind][role === "viewers" ? "viewers" : "editors"])} />}
    </section>
  );
};

const INHERITANCE_OPTIONS = [
  ["owners", "sharing.inherit.owners"],
  ["editors", "sharing.inherit.editors"],
  ["viewers", "sharing.inherit.viewers"],
  ["", "base.role.none"],
] as const satisfies readonly (readonly [value: Role | "", label: LabelKey])[];

const Inheritance: FC<{ place: SharedResource; above: InheritedFrom }> = ({ place, above }) => {
  const t = useTexts();
  const { maxInheritedRole } = place.sharing;
  const name = <ShortName text={above.name} />;
  const isWorkspace = above.kind === "workspace";
  const current = INHERITANCE_OPTIONS.find(([value]) => value === (maxInheritedRole ?? ""));
  return (
    <section class="card" id="inheritance" aria-labelledby="inheritance-title">
      <h2 id="inheritance-title">
        {t.rich(isWorkspace ? "sharing.inherit.fromWorkspace" : "sharing.inherit.fromSite", { name })}
      </h2>
      {place.isOwner ? (
        <label>
          {t("sharing.inherit.role")}
          <select data-do="inherit" data-before={maxInheritedRole ?? ""}>
            {INHERITANCE_OPTIONS.map(([value, label]) => (
              <option value={value} selected={value === (maxInheritedRole ?? "")}>
                {t(label)}
              </option>
            ))}
          </select>
        </label>
      ) : (
        current && <p>{t("sharing.inherit.roleIs", { role: t(current[1]) })}</p>
      )}
      {above.href !== null && (
        <p class="hint">
          <a href={above.href}>{t.rich(SHARING_OF[above.kind], { name })}</a>
        </p>
      )}
    </section>
  );
};
