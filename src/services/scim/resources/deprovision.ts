import type { User } from "../../../home/users.ts";
import type { Context } from "../../context.ts";
import { recordAudit } from "../../audit/record-audit.ts";
import { scimError } from "../protocol/errors.ts";
import type { ScimContext } from "./scim-context.ts";

/**
 * Deletes a user and their service accounts with every role and membership. Personal sites move to the trash, from
 * which an administrator can restore them for another user.
 */
export function deprovisionUser({ ctx, grant: { actor } }: ScimContext, user: User): void {
  const { home } = ctx;
  home.transaction(() => {
    requireOtherAdministrator(ctx, user);
    const accounts = home.serviceAccounts.listOf(user.id).map((account) => account.userId);
    for (const id of [...accounts, user.id]) {
      recordAudit(ctx, { event: id === user.id ? "user.deleted" : "service_account.deleted", actor, userId: id });
      home.deletedSites.detach(id);
      home.users.remove(id);
    }
  });
}

/** @throws AppError `invalid` if no other administrator could sign in */
export function requireOtherAdministrator({ home }: Context, user: User): void {
  const isOther = (other: User) => other.isAdmin && other.disabledAt === null && other.id !== user.id;
  if (user.isAdmin && user.disabledAt === null && !home.users.list().some(isOther))
    throw scimError("mutability", "The installation must keep an administrator");
}
