/** What administrators change about other users: who is an administrator, sessions, and deletion. */
import type { UserGrant } from "../../authorization.ts";
import { AppError, invalid } from "../../errors.ts";
import type { Home } from "../../home/home.ts";
import type { User } from "../../home/users.ts";
import { guardAdmin } from "../access/guards.ts";
import { type AuditActor, recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import { findUser, requireOtherOwners } from "./users.ts";

/**
 * Makes a user an administrator of the installation, or ends that.
 * @throws AppError `forbidden`, `notFound`; `invalid` for service accounts, and for the last administrator
 */
export function changeAdministrator(
  ctx: Context,
  grant: UserGrant,
  { userId, isAdmin }: { readonly userId: number; readonly isAdmin: boolean },
): void {
  guardAdmin(grant, "change administrators");
  const { home } = ctx;
  home.transaction(() => {
    const user = findUser(ctx, userId);
    if (user.isAdmin === isAdmin) return;
    if (isAdmin && user.kind !== "person") throw invalid("A service account cannot be an administrator");
    if (!isAdmin) requireOtherAdministrator(home, user);
    home.users.change(userId, { isAdmin });
    const { actor } = grant;
    recordAudit(ctx, { event: "user.administrator_changed", actor, userId, details: { after: isAdmin } });
  });
}

/**
 * Ends all sessions of a user, effective from the next request. Keys stay.
 * @throws AppError `forbidden`, `notFound`
 */
export function endSessionsOf(ctx: Context, grant: UserGrant, userId: number): void {
  guardAdmin(grant, "end sessions of other users");
  ctx.home.transaction(() => {
    findUser(ctx, userId);
    ctx.home.sessions.removeOf(userId);
    recordAudit(ctx, { event: "sessions.ended", actor: grant.actor, userId });
  });
}

/**
 * Deletes another user and their service accounts with every role and membership. The personal site moves to the trash, from
 * which it can be restored for another user.
 * @throws AppError `forbidden`, `notFound`; `invalid` for the caller's own account, service accounts, and the only owner of a
 * team site; `conflict` for the last administrator
 */
export function removeOtherUser(ctx: Context, grant: UserGrant, userId: number): void {
  guardAdmin(grant, "delete users");
  if (userId === grant.actor.userId) throw invalid("Administrators cannot delete themselves here");
  ctx.home.transaction(() => {
    const user = findUser(ctx, userId);
    if (user.kind !== "person") throw invalid("A service account is deleted by its owner");
    requireOtherAdministrator(ctx.home, user);
    requireOtherOwners(ctx, userId);
    deleteWithRoles(ctx, user, grant.actor);
  });
}

/** Deletes a user as `removeOtherUser` does; for operations that have checked access. Must be called in a transaction. */
export function deleteWithRoles(ctx: Context, { id: userId }: User, actor: AuditActor): void {
  const { home } = ctx;
  const accounts = home.serviceAccounts.listOf(userId).map((account) => account.userId);
  for (const id of [...accounts, userId]) {
    recordAudit(ctx, { event: id === userId ? "user.deleted" : "service_account.deleted", actor, userId: id });
    home.deletedSites.detach(id);
    home.users.remove(id);
  }
}

/** @throws AppError `user.last_administrator` if no other administrator could sign in */
function requireOtherAdministrator(home: Home, user: User): void {
  if (isLastAdministrator(home, user)) throw new AppError("user.last_administrator", LAST_ADMINISTRATOR);
}

export const LAST_ADMINISTRATOR = "The installation must keep an administrator";

/** Returns true for an administrator without whom no other one could sign in. */
export const isLastAdministrator = ({ users }: Pick<Home, "users">, user: User): boolean =>
  user.isAdmin && user.disabledAt === null && !users.hasOtherAdministrator(user.id);
