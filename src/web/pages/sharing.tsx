import type { Child, FC } from "hono/jsx";
import type { Role } from "../../access.ts";
import { describeOrg } from "../../services/orgs.ts";
import { guardSite, guardWorkspace } from "../../services/guards.ts";
import { describeWorkspace } from "../../services/workspaces.ts";
import { DocumentPage } from "../document-page.tsx";
import { type PageContext, sitePrefix, visitor } from "../env.ts";
import { forDocument, refusedPage, toSignIn } from "../guard.tsx";
import { Page } from "../layout.tsx";
import type { PageRoutes } from "../page-route.ts";
import { Badge, Icon, Note } from "../parts.tsx";
import {
  documentSharing,
  type SharedKind,
  type SharedWith,
  type Sharing,
  siteSharing,
  workspaceSharing,
} from "../sharing-data.ts";

export const sharingRoutes: PageRoutes = (app) => {
  app.get("/docs/:docId/sharing", showDocument);
  app.get("/workspaces/:workspaceId/sharing", showWorkspace);
  app.get("/sites/:org/sharing", showSite);
};

/** A place that roles come from. */
interface Above {
  /** "the workspace Bakery" */
  readonly text: string;
  /** Null for a personal site, which is not shared as such. */
  readonly href: string | null;
}

interface SharedPlace {
  readonly kind: SharedKind;
  readonly name: string;
  /** Address of its access list in the API. */
  readonly path: string;
  readonly above: Above | null;
  readonly isOwner: boolean;
  readonly sharing: Sharing;
}

function showDocument(c: PageContext): Promise<Response> {
  return forDocument(c, "viewers", async (visit) => {
    const { grant, user, document, role, prefix } = visit;
    if (!user) return toSignIn(c);
    const place: SharedPlace = {
      kind: "document",
      name: document.name,
      path: `/api/docs/${grant.uuid}/access`,
      above: {
        text: `the workspace ${document.workspace.name}`,
        href: `${prefix}/workspaces/${document.workspace.id}/sharing`,
      },
      isOwner: role === "owners",
      sharing: documentSharing(c.env.call.ctx, grant),
    };
    return c.html(
      <DocumentPage visit={visit} tab="Sharing" bundle="sharing">
        <SharingView place={place} />
      </DocumentPage>,
    );
  });
}

function showWorkspace(c: PageContext): Promise<Response> | Response {
  const { ctx } = c.env.call;
  const user = visitor(c);
  if (!user) return toSignIn(c);
  try {
    const grant = guardWorkspace(ctx, user, c.req.param("workspaceId") ?? "", "viewers");
    const { id, name, org } = describeWorkspace(ctx, grant, { showRemoved: false, sizes: false });
    const prefix = sitePrefix(c);
    const place: SharedPlace = {
      kind: "workspace",
      name,
      path: `/api/workspaces/${id}/access`,
      above: {
        text: `the site ${org.name}`,
        href: org.owner === null ? `${prefix}/sites/${org.domain}/sharing` : null,
      },
      isOwner: grant.role === "owners",
      sharing: workspaceSharing(ctx, grant),
    };
    return c.html(
      <Frame user={user} place={place} back={`${prefix}/#workspace-${id}`}>
        <SharingView place={place} />
      </Frame>,
    );
  } catch (error) {
    return refusedPage(c, error, user);
  }
}

function showSite(c: PageContext): Promise<Response> | Response {
  const { ctx, scope } = c.env.call;
  const user = visitor(c);
  if (!user) return toSignIn(c);
  try {
    const grant = guardSite(ctx, user, scope, c.req.param("org") ?? "", "members");
    const { id, name } = describeOrg(ctx, grant);
    const place: SharedPlace = {
      kind: "site",
      name,
      path: `/api/orgs/${id}/access`,
      above: null,
      isOwner: grant.role === "owners",
      sharing: siteSharing(ctx, grant),
    };
    return c.html(
      <Frame user={user} place={place} back={`${sitePrefix(c)}/`}>
        <SharingView place={place} />
      </Frame>,
    );
  } catch (error) {
    return refusedPage(c, error, user);
  }
}

interface FrameProps {
  user: NonNullable<ReturnType<typeof visitor>>;
  place: SharedPlace;
  back: string;
  children?: Child;
}

/** Around the sharing of workspaces and sites, which have no pages of their own. */
const Frame: FC<FrameProps> = ({ user, place, back, children }) => (
  <Page
    title={`${place.name} – Sharing`}
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
        <h1>Sharing of {place.name}</h1>
        <Badge text={place.kind === "site" ? "Site" : "Workspace"} />
      </div>
    }
  >
    {children}
  </Page>
);

const SharingView: FC<{ place: SharedPlace }> = ({ place }) => (
  <div
    class="sharing"
    id="sharing"
    data-path={place.path}
    data-kind={place.kind}
    data-name={place.name}
    data-above={place.above?.text ?? ""}
  >
    <div>
      {place.isOwner && <Invitation kind={place.kind} />}
      <People place={place} />
    </div>
    <div>
      {place.isOwner && place.kind !== "site" && <Public place={place} />}
      {place.above && <Inheritance place={place} above={place.above} />}
    </div>
  </div>
);

const WHAT_ROLES_DO: Record<SharedKind, readonly [value: string, text: string][]> = {
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

const Invitation: FC<{ kind: SharedKind }> = ({ kind }) => (
  <form class="card scripted" id="invite">
    <h2>Share with people</h2>
    <label>
      E-mail addresses
      <textarea name="emails" rows={2} required aria-describedby="invite-hint" autocomplete="off" spellcheck={false} />
    </label>
    <p class="hint" id="invite-hint">
      Several are separated by commas or blanks. Who has no account yet is invited, and finds it after signing up.
    </p>
    <div class="row">
      <label>
        As
        <select name="role">
          {WHAT_ROLES_DO[kind].map(([value, text]) => (
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

const People: FC<{ place: SharedPlace }> = ({ place }) => {
  const { people, isWhole } = place.sharing;
  return (
    <section class="card" id="people" aria-labelledby="people-title">
      <h2 id="people-title">Who has access</h2>
      {!isWhole && !place.isOwner && (
        <p class="hint">
          {people.length > 1 ? "Those whom you may know of are shown." : "Only owners see everybody who has access."}
        </p>
      )}
      <ul class="people">
        {people.map((person) => (
          <Person person={person} place={place} />
        ))}
      </ul>
    </section>
  );
};

const NAMES = { owners: "Owner", editors: "Editor", viewers: "Viewer", members: "Member", guests: "Guest" } as const;

const Person: FC<{ person: SharedWith; place: SharedPlace }> = ({ person, place }) => {
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
        <small class="from">{whereFrom(person, place)}</small>
      </div>
      {isChangeable ? (
        <RoleChoice person={person} place={place} />
      ) : (
        <span class="role">{role === null ? "No access" : NAMES[role]}</span>
      )}
      {isSelf && !place.isOwner && person.given !== null && person.given !== "guests" && (
        <button type="button" class="plain small scripted" data-do="leave">
          Leave
        </button>
      )}
    </li>
  );
};

/** Why somebody has the role he has, in a sentence without its end. */
function whereFrom({ given, inherited, role }: SharedWith, { kind, above }: SharedPlace): string {
  if (given === "guests" && inherited === null) return `Only something in this ${kind} is shared`;
  if (kind === "site") return given === "members" ? "Belongs to the site" : "Given on the site";
  const own = given === "guests" || given === null ? null : given;
  const from = above?.text ?? "";
  if (own === null) return role === null ? `Nothing here, though known to ${from}` : `From ${from}`;
  if (inherited === null) return "Given here";
  return own === role ? `Given here; ${NAMES[inherited]} by ${from}` : `From ${from}; here ${NAMES[own]}`;
}

const RoleChoice: FC<{ person: SharedWith; place: SharedPlace }> = ({ person, place }) => {
  const { email, name, given, inherited } = person;
  const own = given === "guests" ? null : given;
  const none = inherited === null ? (own === null ? "No role here" : "Remove") : `${NAMES[inherited]} (inherited)`;
  return (
    <select data-do="role" aria-label={`Role of ${name || email}`} data-before={own ?? ""}>
      <option value="" selected={own === null}>
        {none}
      </option>
      {WHAT_ROLES_DO[place.kind].map(([value]) => (
        <option value={value} selected={own === value}>
          {NAMES[value as keyof typeof NAMES]}
        </option>
      ))}
    </select>
  );
};

const Public: FC<{ place: SharedPlace }> = ({ place }) => {
  const { given, inherited } = place.sharing.everybody;
  const role = given ?? inherited;
  return (
    <section class="card" id="public" aria-labelledby="public-title">
      <h2 id="public-title">Everybody</h2>
      <label>
        Whoever has the address, signed in or not
        <select data-do="public" data-before={given ?? ""}>
          <option value="" selected={given === null}>
            {inherited === null ? "has no access" : `may what the workspace allows everybody (${NAMES[inherited]})`}
          </option>
          <option value="viewers" selected={given === "viewers"}>
            may read
          </option>
          <option value="editors" selected={given === "editors"}>
            may read and change
          </option>
        </select>
      </label>
      {role !== null && (
        <Note
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

const LIMITS: readonly [value: Role | "", text: string][] = [
  ["owners", "have the same role here"],
  ["editors", "may change at most"],
  ["viewers", "may read at most"],
  ["", "have no access by that alone"],
];

const Inheritance: FC<{ place: SharedPlace; above: Above }> = ({ place, above }) => {
  const { maxInheritedRole } = place.sharing;
  return (
    <section class="card" id="inheritance" aria-labelledby="inheritance-title">
      <h2 id="inheritance-title">People of {above.text}</h2>
      {place.isOwner ? (
        <label>
          Those who have a role there
          <select data-do="inherit" data-before={maxInheritedRole ?? ""}>
            {LIMITS.map(([value, text]) => (
              <option value={value} selected={value === (maxInheritedRole ?? "")}>
                {text}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p>Those who have a role there {LIMITS.find(([value]) => value === (maxInheritedRole ?? ""))?.[1] ?? ""}.</p>
      )}
      {above.href !== null && (
        <p class="hint">
          <a href={above.href}>Sharing of {above.text}</a>
        </p>
      )}
    </section>
  );
};
