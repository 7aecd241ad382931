/** Entries of the audit log about changes by provisioning. Call these in the transaction of the change. */
import type { SiteRole } from "../../../authorization.ts";
import type { GrantTarget } from "../../../home/grants.ts";
import { type AuditActor, recordAudit } from "../../audit/record-audit.ts";
import { subjectOf } from "../../audit/subject-of.ts";
import type { Context } from "../../context.ts";

interface RoleChange {
  readonly before: SiteRole | null;
  readonly after: SiteRole | null;
}

export function recordUserRole(
  ctx: Context,
  actor: AuditActor,
  { target, userId, before, after }: RoleChange & { readonly target: GrantTarget; readonly userId: number },
): void {
  recordAudit(ctx, { event: "access.changed", actor, userId, ...subjectOf(target), details: { before, after } });
}

export function recordGroupRole(
  ctx: Context,
  actor: AuditActor,
  { target, groupId, before, after }: RoleChange & { readonly target: GrantTarget; readonly groupId: number },
): void {
  recordAudit(ctx, {
    event: "access.changed",
    actor,
    ...subjectOf(target),
    target: groupTarget(ctx, groupId),
    details: { before, after },
  });
}

/** Records who joined and who left a group. */
export function recordMembers(
  ctx: Context,
  actor: AuditActor,
  { groupId, before, after }: { groupId: number; before: ReadonlySet<number>; after: ReadonlySet<number> },
): void {
  const record = (userId: number, isMember: boolean) =>
    recordAudit(ctx, {
      event: "access.changed",
      actor,
      userId,
      target: groupTarget(ctx, groupId),
      details: { before: isMember ? null : "member", after: isMember ? "member" : null },
    });
  for (const userId of before) if (!after.has(userId)) record(userId, false);
  for (const userId of after) if (!before.has(userId)) record(userId, true);
}

const groupTarget = ({ home }: Context, groupId: number) => ({
  group: { id: groupId, name: home.groups.byId(groupId)?.name ?? "" },
});
