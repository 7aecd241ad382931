/** Background work of a server, and of the one server of an installation that owns the home database. */
import type { Config } from "../config.ts";
import { deleteFormerFiles } from "../hosts/files/former-files.ts";
import { runEvery } from "../lib/time/timers.ts";
import { scheduleContentDeletion } from "../services/attachments/attachment-cleanup.ts";
import type { Context } from "../services/context.ts";
import { recheckSubscribers } from "../services/events/events.ts";
import { purgeTrash } from "../services/documents/trash.ts";

const PURGE_INTERVAL_MS = 3_600_000;
/** How long the files of documents from before their upgrade are kept. */
const FORMER_FILES_RETENTION_MS = 30 * 24 * 3_600_000;

/** Starts the background work; what concerns the whole installation only while this server owns the home database. */
export function startMaintenance(ctx: Context, config: Config): () => void {
  const stopOwn = startPurging(() => deleteOldFormerFiles(ctx, config));
  // Each node deletes contents of the documents that it owns, or that no node does.
  const stopDeletingContents = scheduleContentDeletion(ctx);
  let stopShared: (() => void) | null = null;
  const apply = (isOwner: boolean) => {
    if (isOwner === (stopShared !== null)) return;
    stopShared?.();
    stopShared = isOwner ? startOfInstallation(ctx) : null;
  };
  ctx.replication?.onHomeOwner(apply);
  ctx.replication?.onHomeChanged(() => recheckSubscribers(ctx));
  apply(ctx.replication?.isHomeOwner() ?? true);
  return () => {
    stopOwn();
    stopDeletingContents();
    stopShared?.();
  };
}

/** Backups, and the trash. */
function startOfInstallation(ctx: Context): () => void {
  ctx.backups.start();
  const stopPurging = startPurging(() => {
    if (!ctx.clockJumpDetector.isTrusted())
      return ctx.log.warn("trash.purge_skipped", { why: "the system clock was changed" });
    void purgeTrash(ctx).catch((error: unknown) => ctx.log.error("trash.purge_failed", { error: String(error) }));
  });
  return () => {
    ctx.backups.pause();
    stopPurging();
  };
}

/** Calls `purge` now and once an hour. */
function startPurging(purge: () => void): () => void {
  const stop = runEvery(PURGE_INTERVAL_MS, purge);
  purge();
  return stop;
}

function deleteOldFormerFiles({ clock, clockJumpDetector, log }: Context, config: Config): void {
  if (!clockJumpDetector.isTrusted()) return;
  void deleteFormerFiles(config.data, { beforeMs: clock.now() - FORMER_FILES_RETENTION_MS }).catch((error: unknown) =>
    log.warn("upgrade.former_files_not_deleted", { error: String(error) }),
  );
}
