/** Administrators' view of the users. */
import type { UserGrant } from "../../authorization.ts";
import type { Membership } from "../../home/identity/memberships.ts";
import type { UserFacts } from "../../home/identity/user-facts.ts";
import type { User } from "../../home/users.ts";
import { must } from "../../lib/assert.ts";
import { containsAllWords, normalizeForSearch } from "../../lib/text/search-text.ts";
import type { ListedKeys } from "../../wire/accounts/keys.ts";
import type { ListedSessions } from "../../wire/accounts/sessions.ts";
import type { UserSelection, UserSort } from "../../wire/accounts/users.ts";
import { guardAdmin } from "../access/guards.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../accounts/actors.ts";
import { listKeysOf, presentKeys } from "../accounts/keys.ts";
import { describeSessions } from "../accounts/sessions.ts";
import { findUser } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { isPending } from "../invitations/tokens.ts";

export type { Membership };

export interface AdministeredUser {
  readonly id: number;
  readonly email: string;
  /** Empty for invited users. */
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isService: boolean;
  readonly isDisabled: boolean;
  /** Was added, and has not signed in yet. */
  readonly isPending: boolean;
  readonly hasPassword: boolean;
  readonly hasAuthenticator: boolean;
  readonly passkeys: number;
  /** An authenticator app, or a passkey. */
  readonly hasSecondFactor: boolean;
  /** Names of the single sign-on providers with a connected account. */
  readonly providers: readonly string[];
  readonly keys: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When a session, which may be an hour ago more, or a key was last used; null if that is unknown. */
  readonly lastActiveAt: number | null;
}

export interface UserListOptions {
  /** Words that must all occur in name or address; empty for all. */
  readonly search: string;
  readonly show: UserSelection;
  readonly sort: UserSort;
  readonly offset: number;
  readonly limit: number;
}

/** A page of a list. */
export interface UserPage {
  readonly users: readonly AdministeredUser[];
  /** Number of matches on all pages. */
  readonly total: number;
}

/**
 * Returns users and service accounts.
 * @throws AppError `forbidden`
 */
export function searchUsers(
  { home }: Context,
  grant: UserGrant,
  { search, show, sort, offset, limit }: UserListOptions,
): UserPage {
  guardAdmin(grant, "view this page");
  const terms = normalizeForSearch(search);
  const facts = home.userFacts.all();
  const matches = home.users
    .list()
    .filter(({ name, displayEmail }) => containsAllWords(normalizeForSearch(`${name} ${displayEmail}`), terms))
    .map((user) => describe(user, must(facts.get(user.id))))
    .filter(SELECTIONS[show])
    .toSorted(comparisonOf(sort));
  return { users: matches.slice(offset, offset + limit), total: matches.length };
}

/**
 * Returns a user or service account.
 * @throws AppError `forbidden`, `notFound`
 */
export function describeUser(ctx: Context, grant: UserGrant, userId: number): AdministeredUser {
  guardAdmin(grant, "view this page");
  return describe(findUser(ctx, userId), must(ctx.home.userFacts.of(userId)));
}

/** Returns the id of the person with an address; null if there is none. @throws AppError `forbidden` */
export function findUserByEmail({ home }: Context, grant: UserGrant, email: string): number | null {
  guardAdmin(grant, "view this page");
  const user = home.users.byEmail(email);
  return user?.kind === "person" ? user.id : null;
}

/** What administrators see of a user, beyond the list. */
export interface UserDetails {
  readonly user: AdministeredUser;
  readonly sessions: ListedSessions["sessions"];
  readonly apiKeys: ListedKeys["keys"];
  /** Roles outside of the personal site. */
  readonly memberships: readonly Membership[];
  readonly groups: readonly { readonly id: number; readonly name: string }[];
  /** Documents in the personal site, also in the trash. */
  readonly personalDocuments: number;
}

/**
 * Returns a user with sessions, keys and roles, without secrets.
 * @throws AppError `forbidden`, `notFound`
 */
export async function describeUserDetails(ctx: Context, grant: UserGrant, userId: number): Promise<UserDetails> {
  const user = describeUser(ctx, grant, userId);
  return {
    user,
    sessions: await describeSessions(ctx, userId, null),
    apiKeys: presentKeys(listKeysOf(ctx, userId)).keys,
    memberships: ctx.home.memberships.ofUser(userId),
    groups: ctx.home.memberships.groupsOf(userId),
    personalDocuments: ctx.home.users.personalDocuments(userId).length,
  };
}

/** Returns the number of users of each selection. @throws AppError `forbidden` */
export function countUsers({ home }: Context, grant: UserGrant): Readonly<Record<UserSelection, number>> {
  guardAdmin(grant, "view this page");
  const facts = home.userFacts.all();
  const users = home.users.list().map((user) => describe(user, must(facts.get(user.id))));
  const counts = Object.entries(SELECTIONS).map(([show, isSelected]) => [show, users.filter(isSelected).length]);
  return Object.fromEntries(counts) as Record<UserSelection, number>;
}

/** People who can sign in with a password or passkey today. */
const isActivePerson = ({ isService, isDisabled, isPending: isInvited }: AdministeredUser): boolean =>
  !isService && !isDisabled && !isInvited;

const SELECTIONS: Readonly<Record<UserSelection, (user: AdministeredUser) => boolean>> = {
  all: () => true,
  active: isActivePerson,
  administrators: ({ isAdmin }) => isAdmin,
  pending: ({ isPending: isInvited }) => isInvited,
  withoutSecondFactor: (user) => isActivePerson(user) && !user.hasSecondFactor,
  disabled: ({ isDisabled }) => isDisabled,
  services: ({ isService }) => isService,
};

type Compare = (a: AdministeredUser, b: AdministeredUser) => number;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const COMPARISONS: Readonly<Record<Exclude<UserSort, `-${string}`>, Compare>> = {
  name: (a, b) => collator.compare(a.name || a.email, b.name || b.email),
  email: (a, b) => collator.compare(a.email, b.email),
  role: (a, b) => rankOf(a) - rankOf(b),
  active: (a, b) => (a.lastActiveAt ?? 0) - (b.lastActiveAt ?? 0),
  added: (a, b) => a.createdAt - b.createdAt,
};

const rankOf = ({ isAdmin, isService }: AdministeredUser): number => (isAdmin ? 0 : isService ? 2 : 1);

/** Equal users are in the order in which they were added, in both directions. */
function comparisonOf(sort: UserSort): Compare {
  const isDescending = sort.startsWith("-");
  const compare = COMPARISONS[(isDescending ? sort.slice(1) : sort) as keyof typeof COMPARISONS];
  return (a, b) => (isDescending ? compare(b, a) : compare(a, b)) || a.id - b.id;
}

function describe(user: User, facts: UserFacts): AdministeredUser {
  const { id, displayEmail: email, name, isAdmin, kind, disabledAt, createdAt } = user;
  const { hasPassword, hasAuthenticator, passkeys, providers, keys, sessionExpiresAt, keyUsedAt } = facts;
  const sessionUsedAt = sessionExpiresAt === null ? 0 : Math.max(createdAt, sessionExpiresAt - SESSION_IDLE_TIMEOUT_MS);
  return {
    id,
    email,
    name,
    isAdmin,
    isService: kind === "service",
    isDisabled: disabledAt !== null,
    isPending: isPending(user),
    hasPassword,
    hasAuthenticator,
    passkeys,
    hasSecondFactor: hasAuthenticator || passkeys > 0,
    providers,
    keys,
    createdAt,
    lastActiveAt: Math.max(sessionUsedAt, keyUsedAt ?? 0) || null,
  };
}
