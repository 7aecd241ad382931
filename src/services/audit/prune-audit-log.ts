import { yieldToEventLoop } from "../../lib/time/timers.ts";
import type { Context } from "../context.ts";
import { recordAudit } from "./record-audit.ts";

const DAY_MS = 24 * 3_600_000;
/** How long the log has addresses. */
const ADDRESS_RETENTION_MS = 90 * DAY_MS;
/** Each transaction takes some milliseconds, and other requests run in between. */
const BATCH = 1000;

/**
 * Deletes old entries of the audit log, and the addresses of entries that are older than 90 days. Runs where the home
 * database is written.
 * @param keepDays age in days from which entries are deleted; 0 = never
 */
export async function pruneAuditLog(ctx: Context, { keepDays }: { readonly keepDays: number }): Promise<void> {
  const { audit } = ctx.home;
  const now = ctx.clock.now();
  const pruned = keepDays > 0 ? await inBatches(() => audit.prune(now - keepDays * DAY_MS, BATCH)) : 0;
  if (pruned > 0) {
    recordAudit(ctx, { event: "audit.pruned", actor: "server", count: pruned });
    ctx.log.info("audit.pruned", { entries: pruned });
  }
  await inBatches(() => audit.dropAddresses(now - ADDRESS_RETENTION_MS, BATCH));
}

async function inBatches(work: () => number): Promise<number> {
  let total = 0;
  for (let done = work(); done > 0; done = work()) {
    total += done;
    await yieldToEventLoop();
  }
  return total;
}
