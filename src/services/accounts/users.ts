import type { UserGrant } from "../../authorization.ts";
import { AppError, forbidden, invalid, notFound } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { isEmail } from "../../lib/text/email.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";
import { type AuditActor, recordAudit } from "../audit/record-audit.ts";
import { hashPassword } from "./passwords.ts";
import { deleteDocumentFiles } from "../documents/trash.ts";
import { INVITATION_PURPOSES } from "../invitations/tokens.ts";

export interface UserInput {
  email: string;
  name: string;
  isAdmin?: boolean;
  password?: string;
}

/**
 * Adds a user with a personal site, or completes an invited user. For commands, and for operations that have checked
 * access.
 * @throws AppError `invalid` for an invalid address, an empty name or a password of invalid length, `conflict` if the
 * user exists
 */
export async function addUser(ctx: Context, { password, ...user }: UserInput): Promise<User> {
  const hash = password === undefined ? null : await hashPassword(ctx, password);
  return ctx.home.transaction(() => insertUser(ctx, { ...user, hash }));
}

/** Adds a user synchronously, for use in a transaction. Throws as `addUser` does. */
export function insertUser(
  ctx: Context,
  user: Omit<UserInput, "password"> & { hash: string | null },
  actor: AuditActor = "command",
): User {
  const { users, passwords } = ctx.home;
  const name = user.name.trim();
  if (name === "") throw invalid("The name must not be empty");
  const existing = users.byEmail(user.email);
  if (existing && (existing.kind !== "person" || existing.name !== "")) {
    throw new AppError("user.exists", `A user with the address ${existing.displayEmail} already exists`);
  }
  const { id } = findOrInvite(ctx, user.email, actor);
  users.change(id, { name, isAdmin: user.isAdmin ?? false });
  if (existing) recordAudit(ctx, { event: "user.changed", actor, userId: id, details: { fields: ["name"] } });
  if (user.isAdmin) {
    recordAudit(ctx, { event: "user.administrator_changed", actor, userId: id, details: { after: true } });
  }
  if (user.hash !== null) passwords.set(id, user.hash);
  return findUser(ctx, id);
}

/**
 * Returns the user with an address. An unknown address creates an invited user, who can hold roles before they first
 * sign in. For use in a transaction.
 * @throws AppError `invalid` if it is not an address
 */
export function findOrInvite(ctx: Context, email: string, actor: AuditActor = "server"): User {
  const { home } = ctx;
  const found = home.users.byEmail(email);
  if (found) return found;
  if (!isEmail(email)) throw invalid(`${JSON.stringify(email)} is not an email address`);
  return home.transaction(() => {
    const user = home.users.add({ email, name: "", kind: "person" });
    home.orgs.createPersonal(user.id);
    recordAudit(ctx, { event: "user.created", actor, userId: user.id });
    return user;
  });
}

/** Returns all users, including service accounts. For administrators. */
export function listUsers(ctx: Context, grant: UserGrant): User[] {
  guardAdmin(grant, "list users");
  return ctx.home.users.list();
}

/**
 * Disables a user: refuses their keys and those of their service accounts from the next request on, and ends their
 * sessions. Their content and shares are preserved.
 * @throws AppError `forbidden`, `notFound`, `invalid` for the caller's own account
 */
export function disableUser(ctx: Context, grant: UserGrant, userId: number): void {
  revokeUserAccess(ctx, requireOtherUser(ctx, grant, userId), grant.actor);
}

/** Like `disableUser`, for commands. */
export function revokeUserAccess(ctx: Context, user: User, actor: AuditActor = "command"): void {
  ctx.home.transaction(() => {
    ctx.home.users.change(user.id, { disabledAt: user.disabledAt ?? ctx.clock.now() });
    ctx.home.sessions.removeOf(user.id);
    revokeLinks(ctx, user.id);
    if (user.disabledAt === null) recordAudit(ctx, { event: "user.disabled", actor, userId: user.id });
  });
}

/** Ends every link that signs a user in or makes their account. For use in a transaction. */
export function revokeLinks({ home }: Context, userId: number): void {
  for (const purpose of LINK_PURPOSES) home.tokens.removeOf(userId, purpose);
}

const LINK_PURPOSES = [...INVITATION_PURPOSES, "password-reset", "sign-in"] as const;

/** Enables a disabled user and their keys. Throws as `disableUser` does. */
export function enableUser(ctx: Context, grant: UserGrant, userId: number): void {
  const user = requireOtherUser(ctx, grant, userId);
  ctx.home.transaction(() => {
    ctx.home.users.change(user.id, { disabledAt: null });
    if (user.disabledAt !== null) recordAudit(ctx, { event: "user.enabled", actor: grant.actor, userId });
  });
}

/**
 * Permanently deletes the caller's account: profile, keys, sessions, roles, service accounts, and the personal site
 * with its documents. Content in other sites stays with its owners. `name` must match, as confirmation.
 * @throws AppError `forbidden` for other users; `invalid` if the name differs, or if a team site would be left without
 * an owner or the installation without an administrator
 */
export async function deleteUser(
  ctx: Context,
  grant: UserGrant,
  { userId, name }: { userId: number; name: string },
): Promise<void> {
  const { home } = ctx;
  if (userId !== grant.actor.userId) throw forbidden("You can only delete your own account");
  const documents = home.transaction(() => {
    const user = findUser(ctx, userId);
    if (name !== user.name) throw invalid("The name does not match the user's name");
    requireDeletable(ctx, user);
    const accounts = home.serviceAccounts.listOf(userId).map((account) => account.userId);
    return [...accounts, userId].flatMap((id) => removeUser(ctx, id, grant.actor));
  });
  await deleteDocumentFiles(ctx, documents);
}

/** Removes the rows of a user or service account. Returns the documents whose files must be removed after the commit. */
export function removeUser(ctx: Context, userId: number, actor: AuditActor): string[] {
  const event = ctx.home.users.byId(userId)?.kind === "service" ? "service_account.deleted" : "user.deleted";
  recordAudit(ctx, { event, actor, userId });
  const documents = ctx.home.users.personalDocuments(userId);
  ctx.home.users.remove(userId);
  return documents;
}

/** @throws AppError `invalid` if a team site would be left without an owner */
export function requireOtherOwners({ home }: Context, userId: number): void {
  const sites = home.users.sitesOwnedAlone(userId);
  if (sites.length > 0) throw invalid(`Add another owner to ${sites.join(", ")} or delete it first`);
}

function requireDeletable(ctx: Context, user: User): void {
  requireOtherOwners(ctx, user.id);
  if (user.isAdmin && !ctx.home.users.hasOtherAdministrator(user.id)) {
    throw invalid("The last administrator of the installation cannot be deleted");
  }
}

function requireOtherUser(ctx: Context, grant: UserGrant, userId: number): User {
  guardAdmin(grant, "perform this action");
  if (userId === grant.actor.userId) throw invalid("Administrators cannot disable themselves");
  return findUser(ctx, userId);
}

/**
 * Returns a user or service account by id.
 * @throws AppError `notFound`
 */
export function findUser(ctx: Context, userId: number): User {
  const user = ctx.home.users.byId(userId);
  if (!user || user.kind === "pseudo") throw notFound("User not found", "user.not_found");
  return user;
}
