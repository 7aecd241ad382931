import type { UserGrant } from "../../authorization.ts";
import type { BackupListing } from "../../backup/list-backups.ts";
import type { BackupStatus } from "../../backup/backup-schedule.ts";
import { AppError, invalid } from "../../errors.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";

export interface BackupOverview {
  readonly status: BackupStatus;
  /** Backups in the configured destination, newest first. */
  readonly backups: readonly BackupListing[];
  /** Why the backups cannot be listed; null if they can. */
  readonly listError: string | null;
}

/**
 * Returns the state of the backup schedule and the existing backups. For administrators.
 * @throws AppError `forbidden`
 */
export async function describeBackups(ctx: Context, grant: UserGrant): Promise<BackupOverview> {
  guardAdmin(grant, "manage backups");
  const status = ctx.backups.status();
  try {
    return { status, backups: await ctx.backups.list(), listError: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status, backups: [], listError: error.message };
  }
}

/**
 * Makes a backup now, if backups are configured, and returns the state after it. For administrators.
 * @throws AppError `forbidden`, `invalid`
 */
export async function makeBackup(ctx: Context, grant: UserGrant): Promise<BackupStatus> {
  guardAdmin(grant, "manage backups");
  requireBackupTarget(ctx);
  await ctx.backups.backUpNow();
  return ctx.backups.status();
}

/**
 * Like `makeBackup`, without waiting for it: `describeBackups` returns its state.
 * @throws AppError `forbidden`, `invalid`
 */
export function startBackup(ctx: Context, grant: UserGrant): void {
  guardAdmin(grant, "manage backups");
  requireBackupTarget(ctx);
  ctx.backups.requestBackup();
}

function requireBackupTarget({ backups }: Context): void {
  if (backups.status().place === null) throw invalid("Backups are not configured: set QUERN_BACKUP_TO");
}
