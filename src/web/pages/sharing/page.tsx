import type { Child, FC } from "hono/jsx";
import type { Role } from "../../../authorization.ts";
import { describeOrg } from "../../../services/sites/orgs.ts";
import { guardSite, guardWorkspace } from "../../../services/access/guards.ts";
import { describeWorkspace } from "../../../services/sites/workspaces.ts";
import { DocumentPage } from "../../base/document-page.tsx";
import { type PageContext, sitePrefix, signedInUser } from "../../base/page-context.ts";
import { withDocument, renderErrorPage, redirectToSignIn } from "../../base/page-guards.tsx";
import { Page } from "../../base/layout.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { Badge, Icon, StatusMessage } from "../../base/components.tsx";
import {
  documentSharing,
  type ResourceKind,
  type UserAccess,
  type Sharing,
  siteSharing,
  workspaceSharing,
} from "./data.ts";

export const sharingRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/sharing", showDocument);
  app.get("/workspaces/:workspaceId/sharing", showWorkspace);
  app.get("/sites/:org/sharing", showSite);
};

/** A resource that roles are inherited from. */
interface InheritedFrom {
  /** "the workspace Bakery" */
  readonly text: string;
  /** Null for a personal site, which is not shared itself. */
  readonly href: string | null;
}

interface SharedResource {
  readonly kind: ResourceKind;
  readonly name: string;
  /** Path of its access list in the API. */
  readonly path: string;
  readonly inheritedFrom: InheritedFrom | null;
  readonly isOwner: boolean;
  readonly sharing: Sharing;
}

function showDocument(c: PageContext): Promise<Response> {
  return withDocument(c, "viewers", async (visit) => {
    const { grant, user, document, role, prefix } = visit;
    if (!user) return redirectToSignIn(c);
    const resource: SharedResource = {
      kind: "document",
      name: document.name,
      path: `/api/docs/${grant.uuid}/access`,
      inheritedFrom: {
        text: `the workspace ${document.workspace.name}`,
        href: `${prefix}/workspaces/${document.workspace.id}/sharing`,
      },
      isOwner: role === "owners",
      sharing: documentSharing(c.env.call.ctx, grant),
    };
    return c.html(
      <DocumentPage visit={visit} tab="Sharing" bundle="sharing">
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
        text: `the site ${org.name}`,
        href: org.owner === null ? `${prefix}/sites/${org.domain}/sharing` : null,
      },
      isOwner: grant.role === "owners",
      sharing: workspaceSharing(ctx, grant),
    };
    return c.html(
      <SharingPage user={user} resource={resource} back={`${prefix}/#workspace-${id}`}>
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
      sharing: siteSharing(ctx, grant),
    };
    return c.html(
      <SharingPage user={user} resource={resource} back={`${sitePrefix(c)}/`}>
        <SharingView place={resource} />
      </SharingPage>,
    );
  } catch (error) {
    return renderErrorPage(c, error, user);
  }
}

interface SharingPageProps {
  user: NonNullable<ReturnType<typeof signedInUser>>;
  resource: SharedResource;
  back: string;
  children?: Child;
}

/** The frame of the sharing pages of workspaces and sites. */
const SharingPage: FC<SharingPageProps> = ({ user, resource, back, children }) => (
  <Page
    title={`${resource.name} – Sharing`}
    user={user}
    bundle="sharing"
    broad
    heading={
      <div class="document-top">
        <nav class="crumbs" aria-label="Location">
          <a href={back}>
            <Icon name="back" />
            Home
          </a>
        </nav>
        <h1>Sharing of {resource.name}</h1>
        <Badge text={resource.kind === "site" ? "Site" : "Workspace"} />
      </div>
    }
  >
    {children}
  </Page>
);

const SharingView: FC<{ place: SharedResource }> = ({ place }) => (
  <div
    class="sharing"
    id="sharing"
    data-path={place.path}
    data-kind={place.kind}
    data-name={place.name}
    data-above={place.inheritedFrom?.text ?? ""}
  >
    <div>
      {place.isOwner && <Invitation kind={place.kind} />}
      <UserList place={place} />
    </div>
    <div>
      {place.isOwner && place.kind !== "site" && <PublicAccess place={place} />}
      {place.inheritedFrom && <Inheritance place={place} above={place.inheritedFrom} />}
    </div>
  </div>
);

const ROLE_OPTIONS: Record<ResourceKind, readonly [value: string, text: string][]> = {
  document: [
    ["viewers", "Viewer: can view"],
    ["editors", "Editor: can edit data and tables"],
    ["owners", "Owner: can also share, delete and set access rules"],
  ],
  workspace: [
    ["viewers", "Viewer: can view all documents"],
    ["editors", "Editor: can edit and add documents"],
    ["owners", "Owner: can also share and delete"],
  ],
  site: [
    ["members", "Member: sees only workspaces and documents shared with them"],
    ["viewers", "Viewer: can view everything"],
    ["editors", "Editor: can edit everything and add workspaces"],
    ["owners", "Owner: can also share and delete"],
  ],
};

const Invitation: FC<{ kind: ResourceKind }> = ({ kind }) => (
  <form class="card scripted" id="invite">
    <h2>Share with people</h2>
    <label>
      Email addresses
      <textarea name="emails" rows={2} required aria-describedby="invite-hint" autocomplete="off" spellcheck={false} />
    </label>
    <p class="hint" id="invite-hint">
      Separate addresses with commas. People without an account are invited, and get access after signing up.
    </p>
    <div class="row">
      <label>
        Role
        <select name="role">
          {ROLE_OPTIONS[kind].map(([value, text]) => (
            <option value={value} selected={value === "editors"}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <button>
        <Icon name="add" />
        Share
      </button>
    </div>
    <div class="problem-place" id="invite-problem" />
  </form>
);

const UserList: FC<{ place: SharedResource }> = ({ place }) => {
  const { users, isComplete } = place.sharing;
  return (
    <section class="card" id="people" aria-labelledby="people-title">
      <h2 id="people-title">People with access</h2>
      {!isComplete && !place.isOwner && (
        <p class="hint">
          {users.length > 1 ? "Some people may be hidden from you." : "Only owners see all people with access."}
        </p>
      )}
      <ul class="people">
        {users.map((person) => (
          <UserItem person={person} place={place} />
        ))}
      </ul>
    </section>
  );
};

const ROLE_LABELS = {
  owners: "Owner",
  editors: "Editor",
  viewers: "Viewer",
  members: "Member",
  guests: "Guest",
} as const;

const UserItem: FC<{ person: UserAccess; place: SharedResource }> = ({ person, place }) => {
  const { email, name, role, isSelf, isDisabled } = person;
  const isChangeable = place.isOwner && !isSelf;
  return (
    <li data-email={email} data-name={name || email}>
      <Icon name="person" />
      <div class="who">
        <span class="name">{name || email}</span>
        {isSelf && <Badge text="You" />}
        {name === "" && <Badge text="Invited" />}
        {isDisabled && <Badge text="Disabled" kind="danger" />}
        {name !== "" && <small>{email}</small>}
        <small class="from">{describeRoleSource(person, place)}</small>
      </div>
      {isChangeable ? (
        <RoleSelect person={person} place={place} />
      ) : (
        <span class="role">{role === null ? "No access" : ROLE_LABELS[role]}</span>
      )}
      {isSelf && !place.isOwner && person.ownRole !== null && person.ownRole !== "guests" && (
        <button type="button" class="plain small scripted" data-do="leave">
          Leave
        </button>
      )}
    </li>
  );
};

/** Explains a user's role, as a sentence without its full stop. */
function describeRoleSource(
  { ownRole, inheritedRole, role }: UserAccess,
  { kind, inheritedFrom }: SharedResource,
): string {
  if (ownRole === "guests" && inheritedRole === null) return `Only parts of this ${kind} are shared`;
  if (kind === "site") return ownRole === "members" ? "Member of the site" : "Role on the site";
  const grantedRole = ownRole === "guests" ? null : ownRole;
  const from = inheritedFrom?.text ?? "";
  if (grantedRole === null) return role === null ? `No access here; known from ${from}` : `Inherited from ${from}`;
  if (inheritedRole === null) return "Granted here";
  return grantedRole === role
    ? `Granted here; ${ROLE_LABELS[inheritedRole]} from ${from}`
    : `Inherited from ${from}; ${ROLE_LABELS[grantedRole]} here`;
}

const RoleSelect: FC<{ person: UserAccess; place: SharedResource }> = ({ person, place }) => {
  const { email, name, ownRole, inheritedRole } = person;
  const own = ownRole === "guests" ? null : ownRole;
  const none =
    inheritedRole === null ? (own === null ? "No role here" : "Remove") : `${ROLE_LABELS[inheritedRole]} (inherited)`;
  return (
    <select data-do="role" aria-label={`Role of ${name || email}`} data-before={own ?? ""}>
      <option value="" selected={own === null}>
        {none}
      </option>
      {ROLE_OPTIONS[place.kind].map(([value]) => (
        <option value={value} selected={own === value}>
          {ROLE_LABELS[value as keyof typeof ROLE_LABELS]}
        </option>
      ))}
    </select>
  );
};

const PublicAccess: FC<{ place: SharedResource }> = ({ place }) => {
  const { ownRole, inheritedRole } = place.sharing.publicAccess;
  const role = ownRole ?? inheritedRole;
  return (
    <section class="card" id="public" aria-labelledby="public-title">
      <h2 id="public-title">Public access</h2>
      <label>
        Anyone with the link
        <select data-do="public" data-before={ownRole ?? ""}>
          <option value="" selected={ownRole === null}>
            {inheritedRole === null ? "No access" : `Inherited from the workspace (${ROLE_LABELS[inheritedRole]})`}
          </option>
          <option value="viewers" selected={ownRole === "viewers"}>
            Viewer
          </option>
          <option value="editors" selected={ownRole === "editors"}>
            Editor
          </option>
        </select>
      </label>
      {role !== null && (
        <StatusMessage
          text={
            role === "viewers"
              ? `Anyone with the link can view this ${place.kind}.`
              : `Anyone with the link can view and edit this ${place.kind}.`
          }
        />
      )}
    </section>
  );
};

const INHERITANCE_OPTIONS: readonly [value: Role | "", text: string][] = [
  ["owners", "Same role"],
  ["editors", "Editor at most"],
  ["viewers", "Viewer at most"],
  ["", "No access"],
];

const Inheritance: FC<{ place: SharedResource; above: InheritedFrom }> = ({ place, above }) => {
  const { maxInheritedRole } = place.sharing;
  return (
    <section class="card" id="inheritance" aria-labelledby="inheritance-title">
      <h2 id="inheritance-title">Inheritance from {above.text}</h2>
      {place.isOwner ? (
        <label>
          Role of people with access there
          <select data-do="inherit" data-before={maxInheritedRole ?? ""}>
            {INHERITANCE_OPTIONS.map(([value, text]) => (
              <option value={value} selected={value === (maxInheritedRole ?? "")}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p>
          Role of people with access there:{" "}
          {INHERITANCE_OPTIONS.find(([value]) => value === (maxInheritedRole ?? ""))?.[1] ?? ""}.
        </p>
      )}
      {above.href !== null && (
        <p class="hint">
          <a href={above.href}>Sharing of {above.text}</a>
        </p>
      )}
    </section>
  );
};
