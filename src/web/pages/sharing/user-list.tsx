/** The people with access, with their roles. */
import type { Child, FC } from "hono/jsx";
import type { LabelKey } from "../../texts/texts.ts";
import { Badge, Icon, ShortName } from "../../base/components.tsx";
import { type PageTexts, useTexts } from "../../base/page-texts.tsx";
import type { ResourceKind, Sharing, UserAccess } from "./data.ts";

/** A resource that roles are inherited from. */
export interface InheritedFrom {
  readonly kind: "workspace" | "site";
  readonly name: string;
  /** Null for a personal site, which is not shared itself. */
  readonly href: string | null;
}

export interface SharedResource {
  readonly kind: ResourceKind;
  readonly name: string;
  /** Path of its access list in the API. */
  readonly path: string;
  readonly inheritedFrom: InheritedFrom | null;
  readonly isOwner: boolean;
  readonly sharing: Sharing;
}

/** The roles that can be granted, each with a description. */
export const ROLE_OPTIONS = {
  document: [
    ["viewers", "sharing.document.viewers"],
    ["editors", "sharing.document.editors"],
    ["owners", "sharing.document.owners"],
  ],
  workspace: [
    ["viewers", "sharing.workspace.viewers"],
    ["editors", "sharing.workspace.editors"],
    ["owners", "sharing.workspace.owners"],
  ],
  site: [
    ["members", "sharing.site.members"],
    ["viewers", "sharing.site.viewers"],
    ["editors", "sharing.site.editors"],
    ["owners", "sharing.site.owners"],
  ],
} as const satisfies Record<ResourceKind, readonly (readonly [value: string, label: LabelKey])[]>;

export const UserList: FC<{ place: SharedResource }> = ({ place }) => {
  const t = useTexts();
  const { users, isComplete } = place.sharing;
  return (
    <section class="card" id="people" aria-labelledby="people-title">
      <h2 id="people-title">{t("sharing.people")}</h2>
      {!isComplete && !place.isOwner && (
        <p class="hint">{t(users.length > 1 ? "sharing.people.someHidden" : "sharing.people.ownersOnly")}</p>
      )}
      <ul class="people">
        {users.map((person) => (
          <UserItem person={person} place={place} />
        ))}
      </ul>
    </section>
  );
};

export const ROLE_LABELS = {
  owners: "base.role.owners",
  editors: "base.role.editors",
  viewers: "base.role.viewers",
  members: "sharing.role.members",
  guests: "sharing.role.guests",
} as const;

const UserItem: FC<{ person: UserAccess; place: SharedResource }> = ({ person, place }) => {
  const t = useTexts();
  const { email, name, role, isSelf, isDisabled, invitation } = person;
  const isChangeable = place.isOwner && !isSelf;
  return (
    <li data-email={email} data-name={name || email}>
      <Icon name="user" />
      <div class="who">
        <span class="name" translate="no">
          {name || email}
        </span>
        {isSelf && <Badge text={t("sharing.you")} />}
        {name === "" && <Badge text={t("sharing.invited")} />}
        {isDisabled && <Badge text={t("sharing.disabled")} kind="danger" />}
        {name !== "" && <small translate="no">{email}</small>}
        <small class="from">{describeRoleSource(t, person, place)}</small>
        {invitation && <InvitationActions invitation={invitation} email={email} />}
      </div>
      {isChangeable ? (
        <RoleSelect person={person} place={place} />
      ) : (
        <span class="role">{t(role === null ? "base.role.none" : ROLE_LABELS[role])}</span>
      )}
      {isSelf && !place.isOwner && person.ownRole !== null && person.ownRole !== "guests" && (
        <button type="button" class="plain small scripted" data-do="leave">
          {t("sharing.leave")}
        </button>
      )}
    </li>
  );
};

/** For owners: how the user gets to know of the invitation. */
const InvitationActions: FC<{ invitation: NonNullable<UserAccess["invitation"]>; email: string }> = ({
  invitation: { userId, canCopyLink, canSend, isExpired },
  email,
}) => {
  const t = useTexts();
  return (
    <div class="invitation" data-user={userId}>
      {isExpired && <small>{t("sharing.invitation.expired")}</small>}
      {!canCopyLink && !canSend && <small>{t("sharing.invitation.askAdministrator")}</small>}
      {canCopyLink && (
        <button
          type="button"
          class="plain small scripted"
          data-do="invitation-link"
          aria-label={t("sharing.invitation.linkFor", { email })}
        >
          {t("sharing.invitation.link")}
        </button>
      )}
      {canSend && (
        <button
          type="button"
          class="plain small scripted"
          data-do="invitation-send"
          aria-label={t("sharing.invitation.sendFor", { email })}
        >
          {t("sharing.invitation.send")}
        </button>
      )}
    </div>
  );
};

const ONLY_PARTS = {
  document: "sharing.source.parts.document",
  workspace: "sharing.source.parts.workspace",
  site: "sharing.source.parts.site",
} as const;

/** Explains a user's role, as a sentence without its full stop. */
function describeRoleSource(
  t: PageTexts,
  { ownRole, inheritedRole, role }: UserAccess,
  { kind, inheritedFrom }: SharedResource,
): Child {
  if (ownRole === "guests" && inheritedRole === null) return t(ONLY_PARTS[kind]);
  if (kind === "site" || !inheritedFrom) {
    return t(ownRole === "members" ? "sharing.source.member" : "sharing.source.site");
  }
  const grantedRole = ownRole === "guests" ? null : ownRole;
  const name = <ShortName text={inheritedFrom.name} />;
  const isWorkspace = inheritedFrom.kind === "workspace";
  if (grantedRole === null) {
    if (role === null) {
      return t.rich(isWorkspace ? "sharing.source.noneWorkspace" : "sharing.source.noneSite", { name });
    }
    return t.rich(isWorkspace ? "sharing.source.workspace" : "sharing.source.inheritedSite", { name });
  }
  if (inheritedRole === null) return t("sharing.source.granted");
  if (grantedRole === role) {
    const inherited = t(ROLE_LABELS[inheritedRole]);
    const key = isWorkspace ? "sharing.source.grantedWorkspace" : "sharing.source.grantedSite";
    return t.rich(key, { inherited, name });
  }
  const granted = t(ROLE_LABELS[grantedRole]);
  return t.rich(isWorkspace ? "sharing.source.strongerWorkspace" : "sharing.source.strongerSite", { granted, name });
}

const RoleSelect: FC<{ person: UserAccess; place: SharedResource }> = ({ person, place }) => {
  const t = useTexts();
  const { email, name, ownRole, inheritedRole } = person;
  const own = ownRole === "guests" ? null : ownRole;
  const none =
    inheritedRole === null
      ? t(own === null ? "sharing.role.none" : "sharing.role.remove")
      : t("sharing.role.inherited", { role: t(ROLE_LABELS[inheritedRole]) });
  return (
    <select data-do="role" aria-label={t("sharing.roleOf", { name: name || email })} data-before={own ?? ""}>
      <option value="" selected={own === null}>
        {none}
      </option>
      {ROLE_OPTIONS[place.kind].map(([value]) => (
        <option value={value} selected={own === value}>
          {t(ROLE_LABELS[value])}
        </option>
      ))}
    </select>
  );
};
