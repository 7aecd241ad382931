import type { UserGrant } from "../../authorization.ts";
import type { BackupListing } from "../../backup/list-backups.ts";
import type { BackupStatus } from "../../backup/backup-schedule.ts";
import { AppError, invalid } from "../../errors.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";

export interface BackupOverview {
  readonly status: BackupStatus;
  /** In the place that the server makes them in, newest first. */
  readonly backups: readonly BackupListing[];
  /** Why they cannot be listed just now; null when they can. */
  readonly listError: string | null;
}

/**
 * How the server's backups fare, and those there are. For administrators.
 * @throws AppError `forbidden`
 */
export async function describeBackups(ctx: Context, grant: UserGrant): Promise<BackupOverview> {
  guardAdmin(grant, "see to its backups");
  const status = ctx.backups.status();
  try {
    return { status, backups: await ctx.backups.list(), listError: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status, backups: [], listError: error.message };
  }
}

/**
 * Makes a backup now, where the server is set to make any, and tells how they fare then. For administrators.
 * @throws AppError `forbidden`, `invalid`
 */
export async function makeBackup(ctx: Context, grant: UserGrant): Promise<BackupStatus> {
  guardAdmin(grant, "see to its backups");
  requireBackupTarget(ctx);
  await ctx.backups.backUpNow();
  return ctx.backups.status();
}

/**
 * As `makeBackup`, without waiting for it: `describeBackups` tells how it goes.
 * @throws AppError `forbidden`, `invalid`
 */
export function startBackup(ctx: Context, grant: UserGrant): void {
  guardAdmin(grant, "see to its backups");
  requireBackupTarget(ctx);
  ctx.backups.requestBackup();
}

function requireBackupTarget({ backups }: Context): void {
  if (backups.status().place === null) throw invalid("The server is not set to make backups (QUERN_BACKUP_TO)");
}
