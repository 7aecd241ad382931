import type { Context } from "../context.ts";
import { type AuditActor, recordAudit } from "../audit/record-audit.ts";

/** What can change about the factors of a user. */
export type FactorChange =
  | "authenticator_added"
  | "authenticator_removed"
  | "recovery_codes_replaced"
  | "passkey_added"
  | "passkey_removed"
  | "reset";

/** Records a change of a user's factors in the audit log and the log. Must be called in the transaction of the change. */
export function recordFactorChange(
  ctx: Context,
  { userId, change, actor }: { userId: number; change: FactorChange; actor: AuditActor },
): void {
  recordAudit(ctx, { event: "second_factor.changed", actor, userId, details: { change } });
  ctx.log.info("second_factor.changed", { userId, change });
}
