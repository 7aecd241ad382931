import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { removeExpiredNodes } from "../postgres/statements/nodes.ts";
import { applyRetention } from "../postgres/statements/retention.ts";

const INTERVAL_MS = 3_600_000;
/** Soon after the start, but not in its way. */
const FIRST_DELAY_MS = 60_000;

export interface RetentionScheduleOptions {
  readonly database: LogDatabase;
  readonly retentionMs: number;
  readonly timers: Timers;
  readonly log: Log;
  /** Deletes the attachments of a permanently deleted document in the bucket. */
  readonly deleteObjects?: (doc: string) => Promise<void>;
}

/**
 * Removes what is older than the retention, once an hour: also of documents that are rarely opened, and of permanently
 * deleted ones.
 * @returns a function that stops it
 */
export function scheduleRetention(options: RetentionScheduleOptions): () => void {
  const { database, retentionMs, timers, log, deleteObjects } = options;
  let cancel = (): void => {};
  let isStopped = false;
  const later = (ms: number) => {
    cancel = timers.after(ms, run);
  };
  const run = async () => {
    try {
      const connection = await database.bulk();
      await applyRetention(connection, { retentionMs, ...(deleteObjects && { deleteObjects }) });
      await removeExpiredNodes(connection);
    } catch (error) {
      log.warn("cluster.retention_failed", { error: String(error) });
    }
    if (!isStopped) later(INTERVAL_MS);
  };
  later(FIRST_DELAY_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}
