import { ANONYMOUS, EVERYONE, type Role, stronger, strength, weaker } from "../access.ts";
import type { DocumentGrant, SiteGrant, WorkspaceGrant } from "../access.ts";
import { listDocumentAccess, listOrgAccess, listWorkspaceAccess } from "../services/access.ts";
import type { Context } from "../services/context.ts";
import type { AccessList } from "../wire/access.ts";

/** What is shared: its access list has the same form for all, but that a site inherits from nothing. */
export type SharedKind = "document" | "workspace" | "site";

export type ShownRole = AccessList["users"][number]["access"];

/** Somebody in the list. */
export interface SharedWith {
  readonly email: string;
  /** Empty for somebody invited who was never here. */
  readonly name: string;
  /** Given here. */
  readonly given: ShownRole | "members";
  /** What comes from above, as far as it reaches here. */
  readonly inherited: Role | null;
  /** What he may do in the end; null for nothing. */
  readonly role: Role | "members" | "guests" | null;
  readonly isSelf: boolean;
  readonly isDisabled: boolean;
}

export interface Sharing {
  readonly people: readonly SharedWith[];
  /** What everybody may do, signed in or not; null for nothing. */
  readonly everybody: { readonly given: Role | null; readonly inherited: Role | null };
  /** Up to which role what is given above reaches here. */
  readonly maxInheritedRole: Role | null;
  /** False when the list shows the caller alone. */
  readonly isWhole: boolean;
}

const EVERYBODY: ReadonlySet<number> = new Set([EVERYONE.id, ANONYMOUS.id]);

export const documentSharing = (ctx: Context, grant: DocumentGrant): Sharing =>
  sharingOf(listDocumentAccess(ctx, grant), grant);

export const workspaceSharing = (ctx: Context, grant: WorkspaceGrant): Sharing =>
  sharingOf(listWorkspaceAccess(ctx, grant), grant);

/** On a site nothing is inherited; people may belong to it without any role. */
export function siteSharing(ctx: Context, grant: SiteGrant): Sharing {
  const { users, personal } = listOrgAccess(ctx, grant);
  const people = users
    .filter(({ id }) => !EVERYBODY.has(id))
    .map(({ id, email, name, access, disabledAt }) => ({
      email,
      name,
      given: access,
      inherited: null,
      role: access,
      isSelf: isSelf(grant, id),
      isDisabled: disabledAt !== undefined,
    }));
  const everybody = { given: null, inherited: null };
  return { people: people.toSorted(byStrength), everybody, maxInheritedRole: null, isWhole: personal !== true };
}

function sharingOf(list: AccessList, grant: DocumentGrant | WorkspaceGrant): Sharing {
  const { maxInheritedRole, users, personal } = list;
  const shown = users.map(({ id, email, name, access, parentAccess, disabledAt }) => {
    const inherited = weaker(parentAccess, maxInheritedRole);
    const own = access === "members" || access === "guests" ? null : access;
    return {
      id,
      email,
      name,
      given: access,
      inherited,
      role: stronger(own, inherited) ?? (access === "guests" ? access : null),
      isSelf: isSelf(grant, id),
      isDisabled: disabledAt !== undefined,
    };
  });
  const everybody = shown.find(({ id }) => id === EVERYONE.id);
  return {
    people: shown.filter(({ id }) => !EVERYBODY.has(id)).toSorted(byStrength),
    everybody: { given: basic(everybody?.given ?? null), inherited: everybody?.inherited ?? null },
    maxInheritedRole,
    isWhole: personal !== true,
  };
}

const basic = (role: ShownRole | "members"): Role | null => (role === "members" || role === "guests" ? null : role);

const isSelf = ({ actor }: { actor: DocumentGrant["actor"] }, id: number): boolean =>
  actor.kind === "user" && actor.userId === id;

/** Those who may most come first, then by address. */
const byStrength = (a: SharedWith, b: SharedWith): number =>
  strength(b.role) - strength(a.role) || a.email.localeCompare(b.email);
