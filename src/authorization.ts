/**
 * Callers and their grants: plain values that every layer can hold and that survive structured cloning. Only
 * `services/access/guards.ts` creates grants, so an operation that takes one cannot be called without an access check.
 */

/** Roles that can be granted on a site, workspace or document, strongest first. */
export type Role = "owners" | "editors" | "viewers";
/** `members`, for sites only: belongs to the site, but inherits no access. */
export type SiteRole = Role | "members";
/** A role in access lists: `guests` is derived from access to a resource within, and never granted. */
export type EffectiveRole = SiteRole | "guests";

const ROLE_STRENGTH: Record<EffectiveRole, number> = { owners: 5, editors: 4, viewers: 3, members: 2, guests: 1 };

/** Returns the strength of a role for comparisons: owners 5 … guests 1, none 0. */
export const roleStrength = (role: EffectiveRole | null | undefined): number => (role ? ROLE_STRENGTH[role] : 0);

/** Returns the stronger of two roles, either of which may be missing. */
export function strongerRole<R extends EffectiveRole>(a: R | null, b: R | null): R | null {
  return roleStrength(a) >= roleStrength(b) ? a : b;
}

/** Returns the weaker of two roles; null if either is missing. */
export function weakerRole(a: Role | null, b: Role | null): Role | null {
  return roleStrength(a) <= roleStrength(b) ? a : b;
}

/** True if `role` is at least as strong as `required`. */
export const allows = (role: EffectiveRole | null, required: EffectiveRole): boolean =>
  roleStrength(role) >= roleStrength(required);

/** The users that every installation has; clients address public sharing by their email addresses. */
export const EVERYONE = { id: 1, email: "everyone@getgrist.com", name: "Everyone" } as const;
export const ANONYMOUS = { id: 2, email: "anon@getgrist.com", name: "Anonymous" } as const;

/** What a limited API key may be used for. A scope includes others: writing records includes reading them. */
export const SCOPES = {
  "documents:read": {
    about: "See sites, workspaces and documents: names, settings, and the caller's role.",
    includes: [],
  },
  "documents:manage": {
    about: "Create, import, copy, rename, move, replace and delete documents, and change their settings.",
    includes: ["documents:read"],
  },
  "documents:download": {
    about: "Download whole documents, with their history and access rules.",
    includes: ["documents:read"],
  },
  "workspaces:manage": { about: "Create, rename and delete workspaces.", includes: ["documents:read"] },
  "sites:manage": {
    about: "Create, rename and delete sites.",
    includes: ["workspaces:manage", "documents:read"],
  },
  "records:read": {
    about: "Read, aggregate, search and export records, download attachments, and follow changes.",
    includes: ["documents:read"],
  },
  "records:write": {
    about: "Add, change and delete records, and upload attachments.",
    includes: ["records:read", "documents:read"],
  },
  "schema:read": { about: "See tables, columns and formulas.", includes: ["documents:read"] },
  "schema:write": {
    about: "Add, change and delete tables and columns.",
    includes: ["schema:read", "documents:read"],
  },
  "history:read": { about: "Read past states, snapshots and the history of changes.", includes: ["documents:read"] },
  "history:write": {
    about: "Undo changes, restore and delete past states and snapshots.",
    includes: ["history:read", "documents:read"],
  },
  "webhooks:manage": { about: "See, create, change, test and delete webhooks.", includes: ["documents:read"] },
  "access:read": { about: "See with whom sites, workspaces and documents are shared.", includes: ["documents:read"] },
  "access:manage": {
    about: "Share sites, workspaces and documents, and change access rules.",
    includes: ["access:read", "documents:read"],
  },
  "tokens:create": { about: "Create tokens for end users of a document.", includes: [] },
  "profile:write": { about: "Change the caller's name, language and preferences.", includes: [] },
  scim: { about: "Manage users, groups and roles by SCIM.", includes: [] },
  admin: {
    about: "Manage API keys and service accounts, and administer the installation if the user may.",
    includes: [],
  },
} as const satisfies Record<string, { about: string; includes: readonly string[] }>;
export type Scope = keyof typeof SCOPES;

/** The names of all scopes, in the order of the table. */
export const SCOPE_NAMES = Object.keys(SCOPES) as readonly Scope[];

/** Returns the given scopes, and the scopes that they include. */
export const expandScopes = (scopes: readonly Scope[]): ReadonlySet<Scope> =>
  new Set(scopes.flatMap((scope) => [scope, ...SCOPES[scope].includes]));

/** The sites, workspaces, documents and tables that a key is limited to: it reaches the union of them. */
export interface KeyRestrictions {
  /** Ids of sites. */
  readonly sites: readonly number[];
  /** Ids of workspaces. */
  readonly workspaces: readonly number[];
  /** UUIDs of documents. */
  readonly documents: readonly string[];
  /** Table ids by the UUID of their document, of which nothing else is reached. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

/** The limits of an API key, which apply in addition to the role of its user. */
export interface KeyLimits {
  /** With the scopes that they include; null for all. */
  readonly scopes: ReadonlySet<Scope> | null;
  /** Null for everything that the user has access to. */
  readonly restrictions: KeyRestrictions | null;
  /** The networks that the key may be used from, in CIDR notation; null for all. */
  readonly networks: readonly string[] | null;
}

export interface UserActor {
  readonly kind: "user";
  readonly userId: number;
  /** Normalised: lower case. */
  readonly email: string;
  readonly name: string;
  /** Public reference of the user; never changes. */
  readonly ref: string;
  readonly isAdmin: boolean;
  /** True for a service account, which cannot create further ones. */
  readonly isService: boolean;
  readonly via: "key" | "session" | "proxy" | "command";
  /** Id of the key that authenticated the request. */
  readonly keyId?: number;
  /** The limits of that key; absent for keys without limits and for all other callers. */
  readonly limits?: KeyLimits;
  /** The client's address; absent for work that no request caused. */
  readonly address?: string;
}

/** True unless the caller has a key with other scopes. */
export const hasScope = (actor: Actor, scope: Scope): boolean =>
  actor.kind === "anonymous" || (actor.limits?.scopes?.has(scope) ?? true);

/** Returns the scopes for the records of metadata tables, which are tables, columns and access rules. */
export function metadataScopes(tableId: string | undefined, isWrite: boolean): readonly Scope[] {
  const id = tableId?.toLowerCase();
  if (!id?.startsWith("_")) return [];
  if (id.startsWith("_grist_acl")) return [isWrite ? "access:manage" : "access:read"];
  return [isWrite ? "schema:write" : "schema:read"];
}

export interface AnonymousActor {
  readonly kind: "anonymous";
  /** The client's address; absent for work that no request caused. */
  readonly address?: string;
}

/** The scopes that a token for an end user can have. */
export const END_USER_SCOPES = [
  "records:read",
  "records:write",
  "schema:read",
  "schema:write",
  "history:read",
  "history:write",
] as const satisfies readonly Scope[];
export type EndUserScope = (typeof END_USER_SCOPES)[number];

/** What a token says; signed, and checked against the home database with each request. */
export interface EndUserClaims {
  /** The API key that created the token. */
  readonly keyId: number;
  /** Distinguishes the key from a later one with the same id, after a backup was restored. */
  readonly keyDigest: string;
  /** UUID of the document that the token is for. */
  readonly documentUuid: string;
  /** Normalised: lower case. */
  readonly email: string;
  readonly role: EndUserRole;
  /** Null: everything that the role allows. */
  readonly scopes: readonly EndUserScope[] | null;
  /** The origins of pages that can use the token; null: no restriction to browsers. */
  readonly origins: readonly string[] | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export type EndUserRole = Exclude<Role, "owners">;

/**
 * A caller with a token for one document. It has no account and no grants: an account with the same email address is
 * unrelated.
 */
export interface EndUserActor extends EndUserClaims {
  readonly kind: "endUser";
  /** The user of the key, who owns the document. */
  readonly issuerId: number;
  /** The scopes of the token, as far as its key has them; absent where neither limits them. */
  readonly limits?: KeyLimits;
  /** The client's address; absent for work that no request caused. */
  readonly address?: string;
}

/** A caller whose rights are grants in the home database. */
export type AccountActor = UserActor | AnonymousActor;

/** The caller of a request. */
export type Actor = AccountActor | EndUserActor;

export const anonymous: AnonymousActor = { kind: "anonymous" };

/** Returns the user id whose grants apply: for anonymous callers, that of the pseudo-user. */
export const actorId = (actor: AccountActor): number => (actor.kind === "user" ? actor.userId : ANONYMOUS.id);

/** Returns a text that differs for each caller of a document. End users are distinguished by their email addresses. */
export const callerKey = (actor: Actor): string =>
  actor.kind === "endUser" ? `end user ${actor.email}` : String(actorId(actor));

declare const checked: unique symbol;
/** Marks a value as the result of an access check. */
interface CheckedGrant {
  readonly [checked]: true;
}

export interface SiteGrant extends CheckedGrant {
  readonly actor: AccountActor;
  readonly orgId: number;
  /** The caller's role; `guests` if they only have access to a resource within. */
  readonly role: EffectiveRole;
}

export interface WorkspaceGrant extends CheckedGrant {
  readonly actor: AccountActor;
  readonly orgId: number;
  readonly workspaceId: number;
  readonly role: Role | "guests";
}

/** The properties of a request, besides the caller, that access rules inside a document can use. */
export interface RequestInfo {
  /** The Origin header. */
  readonly origin: string | null;
  /** Link parameters by name: `?k_=value` gives `k`. */
  readonly linkKey: Readonly<Record<string, string>>;
}

/** For work that no request caused. */
export const NO_REQUEST_INFO: RequestInfo = { origin: null, linkKey: {} };

export interface DocumentGrant extends CheckedGrant {
  readonly actor: Actor;
  readonly request: RequestInfo;
  readonly orgId: number;
  readonly workspaceId: number;
  /** The integer id, as in listings. */
  readonly documentId: number;
  /** Identifies the document's folder and its worker. */
  readonly uuid: string;
  readonly role: Role;
  /** The tables that the caller's API key is limited to; absent when it is not. */
  readonly tables?: readonly string[];
  /** The change that is made with this grant is applied at most once for this key, and its answer is kept. */
  readonly requestKey?: GrantedRequestKey;
  /**
   * The share whose link the caller has, by its link id and the generation of that: the grant is for the verbs of published forms
   * only, and access rules do not apply to them.
   */
  readonly formLink?: { readonly linkId: string; readonly generation: string };
}

/** Identifies a request with an `Idempotency-Key`. */
export interface GrantedRequestKey {
  /** Hash of the caller, method, site, path, query and key. */
  readonly scope: string;
  readonly bodyHash: string;
  /** True to repeat the kept answer, and change nothing. */
  readonly isReplay?: boolean;
}

/** A grant on a document for administrators of the installation, whatever their role. */
export interface DocumentAdminGrant extends CheckedGrant {
  readonly actor: UserActor;
  readonly documentId: number;
  readonly uuid: string;
}

export interface UserGrant extends CheckedGrant {
  readonly actor: UserActor;
}

/** A grant for all callers, with or without a key, except for end users. */
export interface AnyoneGrant extends CheckedGrant {
  readonly actor: AccountActor;
}

/** Declares a grant to be checked; only for `services/access/guards.ts`, as the architecture test enforces. */
export const grantChecked = <G extends CheckedGrant>(grant: Omit<G, typeof checked>): G => grant as unknown as G;
