/**
 * Who asks, and what he was found to be allowed: plain values that every layer may hold and that survive structured
 * cloning. Only `services/access/guards.ts` makes grants; a verb that takes one can therefore not be called unchecked.
 */

/** What can be granted on a site, workspace or document, strongest first. */
export type Role = "owners" | "editors" | "viewers";
/** On a site only: belongs to it, inherits nothing. */
export type SiteRole = Role | "members";
/** As shown in access lists: `guests` is derived from something shared further down, never set by hand. */
export type EffectiveRole = SiteRole | "guests";

const ROLE_STRENGTH: Record<EffectiveRole, number> = { owners: 5, editors: 4, viewers: 3, members: 2, guests: 1 };

/** Strength for comparing: owners 5 … guests 1, nothing 0. */
export const roleStrength = (role: EffectiveRole | null | undefined): number => (role ? ROLE_STRENGTH[role] : 0);

/** The stronger of two roles, either of which may be missing. */
export function strongerRole<R extends EffectiveRole>(a: R | null, b: R | null): R | null {
  return roleStrength(a) >= roleStrength(b) ? a : b;
}

/** The weaker of two roles; null when either is missing. */
export function weakerRole(a: Role | null, b: Role | null): Role | null {
  return roleStrength(a) <= roleStrength(b) ? a : b;
}

/** True when `role` gives at least what `need` asks for. */
export const allows = (role: EffectiveRole | null, required: EffectiveRole): boolean =>
  roleStrength(role) >= roleStrength(required);

/** The users every installation has; their addresses are what clients know public sharing by. */
export const EVERYONE = { id: 1, email: "everyone@getgrist.com", name: "Everyone" } as const;
export const ANONYMOUS = { id: 2, email: "anon@getgrist.com", name: "Anonymous" } as const;

export interface UserActor {
  readonly kind: "user";
  readonly userId: number;
  /** Normalised: lower case. */
  readonly email: string;
  readonly name: string;
  /** Public reference of the user, stable for life. */
  readonly ref: string;
  readonly isAdmin: boolean;
  /** A service account: an actor of its own that may not make further ones. */
  readonly isService: boolean;
  readonly via: "key" | "session" | "proxy" | "command";
  /** Which key it was. */
  readonly keyId?: number;
}

export interface AnonymousActor {
  readonly kind: "anonymous";
}

/** Who a request comes from. */
export type Actor = UserActor | AnonymousActor;

export const anonymous: AnonymousActor = { kind: "anonymous" };

/** The user id whose grants apply: anonymous callers stand for the pseudo-user. */
export const actorId = (actor: Actor): number => (actor.kind === "user" ? actor.userId : ANONYMOUS.id);

declare const checked: unique symbol;
/** Marks a value as the outcome of an access check. */
interface CheckedGrant {
  readonly [checked]: true;
}

export interface SiteGrant extends CheckedGrant {
  readonly actor: Actor;
  readonly orgId: number;
  /** The caller's role there; `guests` when he only has something further down. */
  readonly role: EffectiveRole;
}

export interface WorkspaceGrant extends CheckedGrant {
  readonly actor: Actor;
  readonly orgId: number;
  readonly workspaceId: number;
  readonly role: Role | "guests";
}

/** What of a request the access rules inside a document may look at, besides who sent it. */
export interface RequestInfo {
  /** The Origin header. */
  readonly origin: string | null;
  /** Link parameters by name: `?k_=value` gives `k`. */
  readonly linkKey: Readonly<Record<string, string>>;
}

/** For what no request from outside asks for. */
export const NO_REQUEST_INFO: RequestInfo = { origin: null, linkKey: {} };

export interface DocumentGrant extends CheckedGrant {
  readonly actor: Actor;
  readonly request: RequestInfo;
  readonly orgId: number;
  readonly workspaceId: number;
  /** The integer id of listings. */
  readonly documentId: number;
  /** What the document's folder and the `hosts/` door know it by. */
  readonly uuid: string;
  readonly role: Role;
}

/** A document, for administrators of the installation, whatever their role there. */
export interface DocumentAdminGrant extends CheckedGrant {
  readonly actor: UserActor;
  readonly documentId: number;
  readonly uuid: string;
}

export interface UserGrant extends CheckedGrant {
  readonly actor: UserActor;
}

/** Anybody, also without a key: for what is answered to all. */
export interface AnyoneGrant extends CheckedGrant {
  readonly actor: Actor;
}

/** For `services/access/guards.ts` alone (the architecture test holds this): declares a grant to be checked. */
export const grantChecked = <G extends CheckedGrant>(grant: Omit<G, typeof checked>): G => grant as unknown as G;
