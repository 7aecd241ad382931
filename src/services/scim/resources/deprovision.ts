import type { User } from "../../../home/users.ts";
import { deleteWithRoles, isLastAdministrator, LAST_ADMINISTRATOR } from "../../accounts/administrators.ts";
import type { Context } from "../../context.ts";
import { scimError } from "../protocol/errors.ts";
import type { ScimContext } from "./scim-context.ts";

/**
 * Deletes a user and their service accounts with every role and membership. Personal sites move to the trash, from
 * which an administrator can restore them for another user.
 */
export function deprovisionUser({ ctx, grant: { actor } }: ScimContext, user: User): void {
  ctx.home.transaction(() => {
    requireOtherAdministrator(ctx, user);
    deleteWithRoles(ctx, user, actor);
  });
}

/** @throws AppError `invalid` if no other administrator could sign in */
export function requireOtherAdministrator({ home }: Context, user: User): void {
  if (isLastAdministrator(home, user)) throw scimError("mutability", LAST_ADMINISTRATOR);
}
