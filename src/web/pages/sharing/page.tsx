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

/** A place that roles come from. */
interface InheritedFrom {
  /** "the workspace Bakery" */
  readonly text: string;
  /** Null for a personal site, which is not shared as such. */
  readonly href: string | null;
}

interface SharedResource {
  readonly kind: ResourceKind;
  readonly name: string;
  /** Address of its access list in the API. */
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

/** Around the sharing of workspaces and sites, which have no pages of their own. */
const SharingPage: FC<SharingPageProps> = ({ user, resource, back, children }) => (
  <Page
    title={`${resource.name} – Sharing`}
    user={user}
    bundle="sharing"
    broad
    heading={
      <div class="document-top">
        <nav class="crumbs" aria-label="Place">
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
    ["viewers", "Viewer: reads"],
    ["editors", "Editor: changes data and tables"],
    ["owners", "Owner: also shares, deletes and sets rules"],
  ],
  workspace: [
    ["viewers", "Viewer: reads all documents"],
    ["editors", "Editor: changes and adds documents"],
    ["owners", "Owner: also shares and deletes"],
  ],
  site: [
    ["members", "Member: sees only what is shared further down"],
    ["viewers", "Viewer: reads everything"],
    ["editors", "Editor: changes everything, adds workspaces"],
    ["owners", "Owner: also shares and deletes"],
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
      Several are separated by commas or blanks. Who has no account yet is invited, and finds it after signing up.
    </p>
    <div class="row">
      <label>
        As
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
      <h2 id="people-title">Who has access</h2>
      {!isComplete && !place.isOwner && (
        <p class="hint">
          {users.length > 1 ? "Those whom you may know of are shown." : "Only owners see everybody who has access."}
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

/** Why somebody has the role he has, in a sentence without its end. */
function describeRoleSource(
  { ownRole, inheritedRole, role }: UserAccess,
  { kind, inheritedFrom }: SharedResource,
): string {
  if (ownRole === "guests" && inheritedRole === null) return `Only something in this ${kind} is shared`;
  if (kind === "site") return ownRole === "members" ? "Belongs to the site" : "Given on the site";
  const grantedRole = ownRole === "guests" ? null : ownRole;
  const from = inheritedFrom?.text ?? "";
  if (grantedRole === null) return role === null ? `Nothing here, though known to ${from}` : `From ${from}`;
  if (inheritedRole === null) return "Given here";
  return grantedRole === role
    ? `Given here; ${ROLE_LABELS[inheritedRole]} by ${from}`
    : `From ${from}; here ${ROLE_LABELS[grantedRole]}`;
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
      <h2 id="public-title">Everybody</h2>
      <label>
        Whoever has the address, signed in or not
        <select data-do="public" data-before={ownRole ?? ""}>
          <option value="" selected={ownRole === null}>
            {inheritedRole === null
              ? "has no access"
              : `may what the workspace allows everybody (${ROLE_LABELS[inheritedRole]})`}
          </option>
          <option value="viewers" selected={ownRole === "viewers"}>
            may read
          </option>
          <option value="editors" selected={ownRole === "editors"}>
            may read and change
          </option>
        </select>
      </label>
      {role !== null && (
        <StatusMessage
          text={
            role === "viewers"
              ? `Anybody in the world who learns the address of this ${place.kind} can read it.`
              : `Anybody in the world who learns the address of this ${place.kind} can read it and change it.`
          }
        />
      )}
    </section>
  );
};

const INHERITANCE_OPTIONS: readonly [value: Role | "", text: string][] = [
  ["owners", "have the same role here"],
  ["editors", "may change at most"],
  ["viewers", "may read at most"],
  ["", "have no access by that alone"],
];

const Inheritance: FC<{ place: SharedResource; above: InheritedFrom }> = ({ place, above }) => {
  const { maxInheritedRole } = place.sharing;
  return (
    <section class="card" id="inheritance" aria-labelledby="inheritance-title">
      <h2 id="inheritance-title">People of {above.text}</h2>
      {place.isOwner ? (
        <label>
          Those who have a role there
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
          Those who have a role there{" "}
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
