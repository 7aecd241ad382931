/** Background work of a server, and of the one server of an installation that owns the home database. */
import type { Config } from "../config.ts";
import { deleteFormerFiles } from "../hosts/files/former-files.ts";
import { runEvery } from "../lib/time/timers.ts";
import { scheduleContentDeletion } from "../services/attachments/attachment-cleanup.ts";
import { pruneAuditLog } from "../services/audit/prune-audit-log.ts";
import type { Context } from "../services/context.ts";
import { removeDeletedCopies } from "../services/documents/deleted-copies.ts";
import { recheckSubscribers } from "../services/events/events.ts";
import { purgeTrash } from "../services/documents/trash.ts";

const PURGE_INTERVAL_MS = 3_600_000;
/** How long the files of documents from before their upgrade are kept. */
const FORMER_FILES_RETENTION_MS = 30 * 24 * 3_600_000;

/** Starts the background work; what concerns the whole installation only while this server owns the home database. */
export function startMaintenance(ctx: Context, config: Config): () => void {
  const stopOwn = startPurging(() => deleteOldFormerFiles(ctx, config));
  const stopSweeping = startSweepingDeletedCopies(ctx, config);
  // Each node deletes contents of the documents that it owns, or that no node does.
  const stopDeletingContents = scheduleContentDeletion(ctx);
  let stopShared: (() => void) | null = null;
  const apply = (isOwner: boolean) => {
    if (isOwner === (stopShared !== null)) return;
    stopShared?.();
    stopShared = isOwner ? startOfInstallation(ctx, config) : null;
  };
  ctx.replication?.onHomeOwner(apply);
  ctx.replication?.onHomeChanged(() => recheckSubscribers(ctx));
  apply(ctx.replication?.isHomeOwner() ?? true);
  return () => {
    stopOwn();
    stopSweeping();
    stopDeletingContents();
    stopShared?.();
  };
}

/** Backups, email, the trash, and the audit log. */
function startOfInstallation(ctx: Context, config: Config): () => void {
  ctx.backups.start();
  ctx.email.start();
  const stopPurging = startPurging(() => {
    if (!ctx.clockJumpDetector.isTrusted())
      return ctx.log.warn("trash.purge_skipped", { why: "the system clock was changed" });
    void purgeTrash(ctx).catch((error: unknown) => ctx.log.error("trash.purge_failed", { error: String(error) }));
  });
  const stopPruning = startPurging(() => {
    if (!ctx.clockJumpDetector.isTrusted()) return;
    void pruneAuditLog(ctx, { keepDays: config.auditKeep }).catch((error: unknown) =>
      ctx.log.error("audit.prune_failed", { error: String(error) }),
    );
  });
  return () => {
    ctx.backups.pause();
    ctx.email.pause();
    stopPurging();
    stopPruning();
  };
}

/** Calls `purge` now and once an hour. */
function startPurging(purge: () => void): () => void {
  const stop = runEvery(PURGE_INTERVAL_MS, purge);
  purge();
  return stop;
}

function startSweepingDeletedCopies(ctx: Context, { data }: Config): () => void {
  const { replication, cluster, log } = ctx;
  if (!replication) return () => {};
  const sweep = (uuid: string | null) =>
    void removeDeletedCopies(ctx, data, uuid).catch((error: unknown) =>
      log.warn("cluster.deleted_copies_not_removed", { error: String(error) }),
    );
  // A node is called with null as soon as it is open.
  replication.onDeleted(sweep);
  if (!cluster) sweep(null);
  return runEvery(PURGE_INTERVAL_MS, () => sweep(null));
}

function deleteOldFormerFiles({ clock, clockJumpDetector, log }: Context, config: Config): void {
  if (!clockJumpDetector.isTrusted()) return;
  void deleteFormerFiles(config.data, { beforeMs: clock.now() - FORMER_FILES_RETENTION_MS }).catch((error: unknown) =>
    log.warn("upgrade.former_files_not_deleted", { error: String(error) }),
  );
}
