import { AppError } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import type { Context } from "../context.ts";

/** True if a password alone must not sign a user in, whether or not they have a second factor. */
export function isSecondFactorRequired({ identity }: Context, { isAdmin }: Pick<User, "isAdmin">): boolean {
  const { requiredSecondFactor } = identity;
  return requiredSecondFactor === "on" || (requiredSecondFactor === "admins" && isAdmin);
}

/**
 * Cleans up after a factor of a user was removed: the last one takes the recovery codes with it. Must be called in the same
 * transaction.
 * @throws AppError `second_factor.required` if it was the last one, and the user needs one
 */
export function afterRemoval(ctx: Context, user: Pick<User, "id" | "isAdmin">): void {
  if (ctx.home.secondFactors.has(user.id)) return;
  if (isSecondFactorRequired(ctx, user)) {
    throw new AppError("second_factor.required", "This server requires a second factor: add another one first");
  }
  ctx.home.secondFactors.setRecoveryCodes(user.id, []);
}
