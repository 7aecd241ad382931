import type { UserGrant } from "../../authorization.ts";
import { AppError, forbidden, invalid, notFound } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { isEmail } from "../../lib/text/email.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";
import { hashPassword } from "./passwords.ts";
import { deleteDocumentFiles } from "../documents/trash.ts";

export interface UserInput {
  email: string;
  name: string;
  isAdmin?: boolean;
  password?: string;
}

/**
 * Adds a person with a personal site; somebody who was only invited so far is completed. For commands, which may do
 * what they like, and for verbs that have checked.
 * @throws AppError `invalid` for an address that is none, an empty name or a poor password, `conflict` when the person
 *   is there already
 */
export async function addUser(ctx: Context, { password, ...user }: UserInput): Promise<User> {
  const hash = password === undefined ? null : await hashPassword(ctx, password);
  return ctx.home.transaction(() => insertUser(ctx, { ...user, hash }));
}

/** The synchronous part of adding a person, for use in a transaction. Throws as `addUser` does. */
export function insertUser(ctx: Context, user: Omit<UserInput, "password"> & { hash: string | null }): User {
  const { users, passwords } = ctx.home;
  const name = user.name.trim();
  if (name === "") throw invalid("A name is needed");
  const existing = users.byEmail(user.email);
  if (existing && (existing.kind !== "person" || existing.name !== "")) {
    throw new AppError("user.exists", `There is a user ${existing.displayEmail} already`);
  }
  const { id } = findOrInvite(ctx, user.email);
  users.change(id, { name, isAdmin: user.isAdmin ?? false });
  if (user.hash !== null) passwords.set(id, user.hash);
  return findUser(ctx, id);
}

/**
 * The user with an address; an unknown one becomes a person without a name, who can hold roles until he signs in.
 * For use in a transaction.
 * @throws AppError `invalid` when it is not an address
 */
export function findOrInvite(ctx: Context, email: string): User {
  const { home } = ctx;
  const found = home.users.byEmail(email);
  if (found) return found;
  if (!isEmail(email)) throw invalid(`${JSON.stringify(email)} is not an e-mail address`);
  return home.transaction(() => {
    const user = home.users.add({ email, name: "", kind: "person" });
    home.orgs.createPersonal(user.id);
    return user;
  });
}

/** All people and service accounts. For administrators. */
export function listUsers(ctx: Context, grant: UserGrant): User[] {
  guardAdmin(grant, "list its users");
  return ctx.home.users.list();
}

/**
 * Shuts a user out: his keys and those of his service accounts are refused from the next request on, his sessions end.
 * What he shared and made stays.
 * @throws AppError `forbidden`, `notFound`, `invalid` for oneself
 */
export function disableUser(ctx: Context, grant: UserGrant, userId: number): void {
  revokeUserAccess(ctx, requireOtherUser(ctx, grant, userId));
}

/** As `disableUser`, for commands. */
export function revokeUserAccess(ctx: Context, user: User): void {
  ctx.home.transaction(() => {
    ctx.home.users.change(user.id, { disabledAt: user.disabledAt ?? ctx.clock.now() });
    ctx.home.sessions.removeOf(user.id);
    ctx.home.tokens.removeOf(user.id, "password-reset");
  });
}

/** Lets a disabled user in again, with the keys he had. Throws as `disableUser` does. */
export function enableUser(ctx: Context, grant: UserGrant, userId: number): void {
  const user = requireOtherUser(ctx, grant, userId);
  ctx.home.transaction(() => ctx.home.users.change(user.id, { disabledAt: null }));
}

/**
 * Deletes the caller himself, for good: profile, keys, sessions, roles, his service accounts, his personal site with
 * its documents. What he made in other sites stays with their owners. `name` must be his, so that it does not happen
 * by accident.
 * @throws AppError `forbidden` for somebody else; `invalid` when the name differs, when a team site would be left
 *   without an owner or the installation without an administrator
 */
export async function deleteUser(
  ctx: Context,
  grant: UserGrant,
  { userId, name }: { userId: number; name: string },
): Promise<void> {
  const { home } = ctx;
  if (userId !== grant.actor.userId) throw forbidden("Only oneself can be deleted");
  const documents = home.transaction(() => {
    const user = findUser(ctx, userId);
    if (name !== user.name) throw invalid("The name is not the user's");
    requireDeletable(ctx, user);
    const accounts = home.serviceAccounts.listOf(userId).map((account) => account.userId);
    return [...accounts, userId].flatMap((id) => removeUser(ctx, id));
  });
  await deleteDocumentFiles(ctx, documents);
}

/** Removes a user's rows; answers the documents whose files are to be removed after the commit. */
export function removeUser(ctx: Context, userId: number): string[] {
  const documents = ctx.home.users.personalDocuments(userId);
  ctx.home.users.remove(userId);
  return documents;
}

function requireDeletable(ctx: Context, user: User): void {
  const sites = ctx.home.users.sitesOwnedAlone(user.id);
  if (sites.length > 0) {
    throw invalid(`Make somebody else an owner of ${sites.join(", ")} first, or delete it`);
  }
  const isAdmin = (other: User) => other.isAdmin && other.disabledAt === null && other.id !== user.id;
  if (user.isAdmin && !ctx.home.users.list().some(isAdmin)) {
    throw invalid("The last administrator of the installation cannot be deleted");
  }
}

function requireOtherUser(ctx: Context, grant: UserGrant, userId: number): User {
  guardAdmin(grant, "do this");
  if (userId === grant.actor.userId) throw invalid("Administrators cannot do this to themselves");
  return findUser(ctx, userId);
}

/**
 * A person or service account by number.
 * @throws AppError `notFound`
 */
export function findUser(ctx: Context, userId: number): User {
  const user = ctx.home.users.byId(userId);
  if (!user || user.kind === "pseudo") throw notFound("There is no such user", "user.not_found");
  return user;
}
