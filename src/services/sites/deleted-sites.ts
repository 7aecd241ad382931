import { AppError } from "../../errors.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";

export interface RestoredSite {
  /** Of the user who has the workspaces now. */
  readonly email: string;
  /** Their number. */
  readonly workspaces: number;
}

/**
 * Moves the workspaces of a deleted user's personal site to that of another user. For commands.
 * @throws AppError `notFound`
 */
export function restoreDeletedSite(ctx: Context, { orgId, to }: { orgId: number; to: string }): RestoredSite {
  const { home } = ctx;
  return home.transaction(() => {
    const user = home.users.byEmail(to);
    if (!user || user.kind !== "person") throw new AppError("notFound", `user not found: ${to}`);
    if (!home.deletedSites.isDeleted(orgId)) throw new AppError("notFound", `no deleted site ${orgId}`);
    recordAudit(ctx, { event: "site.restored", actor: "command", orgId, userId: user.id });
    return { email: user.displayEmail, workspaces: home.deletedSites.restore(orgId, user.id) };
  });
}
