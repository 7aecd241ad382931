import { AppError } from "../errors.ts";
import type { Database } from "./database.ts";

export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  readonly sql: string;
}

export interface MigrateOptions {
  /** Name of the database in the error message, such as "home database". */
  databaseName: string;
  /** Called once before the first change to a file with content: makes the backup. */
  beforeChange?: (from: number, to: number) => void;
}

/** Throws AppError `unavailable` when a database has a version that the program does not know. */
export function requireKnownVersion(
  db: Database,
  { databaseName, latest }: { databaseName: string; latest: number },
): void {
  const version = readVersion(db);
  if (version <= latest) return;
  throw new AppError(
    "unavailable",
    `The ${databaseName} ${db.path} has version ${version}, but this program supports versions up to ${latest}. Upgrade Quern.`,
  );
}

/**
 * Migrates a database by `PRAGMA user_version`, in one transaction that reads the version again, so that two processes
 * that start at the same time do not both apply it.
 * @returns the previous version
 * @throws AppError `unavailable` when the file's version is newer than the latest migration
 */
export function migrate(db: Database, migrations: readonly Migration[], options: MigrateOptions): number {
  const latest = migrations.at(-1)?.version ?? 0;
  const currentVersion = readVersion(db);
  requireKnownVersion(db, { databaseName: options.databaseName, latest });
  if (currentVersion === latest) return currentVersion;
  if (currentVersion > 0) options.beforeChange?.(currentVersion, latest);
  db.transaction(() => {
    const from = readVersion(db);
    if (from >= latest) return;
    for (const { version, sql } of migrations) if (version > from) db.exec(sql);
    db.exec(`pragma user_version = ${latest}`);
  });
  return currentVersion;
}

/** Returns the version that the file's migrations have reached; 0 for a new file. */
export const readVersion = (db: Database): number =>
  db.get<{ user_version: number }>("pragma user_version")?.user_version ?? 0;
