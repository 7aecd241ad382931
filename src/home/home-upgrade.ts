/** What an upgrade of the home database changes, and the backup made before. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import { diskSpace } from "../lib/observability/process-metrics.ts";
import { formatBytes } from "../lib/text/formatting.ts";
import { syncToDisk } from "../lib/sync-to-disk.ts";
import type { Database } from "../sqlite/database.ts";
import { readVersion, requireKnownVersion } from "../sqlite/migrate.ts";
import { openUnchanged } from "../sqlite/open-unchanged.ts";
import { MIGRATIONS } from "./migrations/index.ts";

/** The versions of a home database. */
export interface HomeVersions {
  readonly from: number;
  /** The version that this program migrates it to. */
  readonly to: number;
  readonly sizeBytes: number;
}

/** An upgrade in progress. */
export interface HomeUpgrade {
  readonly from: number;
  readonly to: number;
  /** Path of the backup; null before it is made. */
  readonly backup: string | null;
}

/** The steps of an upgrade, in order. */
export type HomeUpgradeStep = "started" | "backedUp" | "completed";

/** Name of the home database in the data folder. */
export const HOME_FILE = "home.sqlite";
/** The version of the home databases that this program writes. */
export const HOME_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/**
 * Returns the versions of a folder's home database without changing anything; null when it has none yet.
 * @throws AppError `unavailable` when a newer version of the program wrote it
 */
export function inspectHome(folder: string): HomeVersions | null {
  const path = join(folder, HOME_FILE);
  if (!existsSync(path)) return null;
  using db = openUnchanged(path);
  requireKnownVersion(db, { databaseName: "home database", latest: HOME_VERSION });
  return { from: readVersion(db), to: HOME_VERSION, sizeBytes: sizeOf(path) };
}

/** Returns the names of a folder's documents by UUID, without changing anything. */
export function readDocumentNames(folder: string): Map<string, string> {
  using db = openUnchanged(join(folder, HOME_FILE));
  // A file that the first start was about to fill.
  if (readVersion(db) === 0) return new Map();
  const rows = db.all<{ uuid: string; name: string }>("select uuid, name from documents");
  return new Map(rows.map(({ uuid, name }) => [uuid, name]));
}

/**
 * Free space that an upgrade of a home database needs: its backup, and the log of the migration, which may rewrite every
 * page.
 */
export const spaceForHome = ({ sizeBytes }: { sizeBytes: number }): number => 2 * sizeBytes;

/**
 * Writes a copy of an open home database to `backups/`, named after its version and the time. The copy is complete and
 * on disk when it has its name.
 * @returns its path
 * @throws AppError `storage` when the disk is full; then no copy remains
 */
export function backUpHome(db: Database, folder: string, { from, clock }: { from: number; clock: Clock }): string {
  const backups = join(folder, "backups");
  requireFreeSpace(folder, spaceForHome({ sizeBytes: sizeOf(db.path) }));
  mkdirSync(backups, { recursive: true, mode: 0o700 });
  const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-");
  const path = join(backups, `home-v${from}-${time}.sqlite`);
  const partialFile = `${path}.part`;
  try {
    for (const name of readdirSync(backups)) {
      // Of an upgrade that was killed: the caller holds the lock of the folder.
      if (name.endsWith(".part")) rmSync(join(backups, name));
    }
    db.run("vacuum into ?", partialFile);
    syncToDisk(partialFile);
    renameSync(partialFile, path);
    syncToDisk(backups);
    return path;
  } finally {
    rmSync(partialFile, { force: true });
  }
}

/** @throws AppError `storage` when the disk of a folder has less free space */
export function requireFreeSpace(folder: string, neededBytes: number): void {
  const space = diskSpace(folder);
  if (space === null || space.freeBytes >= neededBytes) return;
  throw new AppError(
    "storage",
    `the upgrade of ${folder} needs ${formatBytes(neededBytes)} of free space, but only ${formatBytes(space.freeBytes)} are available; nothing was changed`,
  );
}

/** Returns the size of a database with its write-ahead log. */
const sizeOf = (path: string): number =>
  [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
