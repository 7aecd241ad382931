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

/**
 * Migrates a database by `PRAGMA user_version`: each step runs in a transaction that reads the version again, so that
 * two processes that start at the same time do not both apply it.
 * @returns the previous version
 * @throws AppError `unavailable` when the file's version is newer than the latest migration
 */
export function migrate(db: Database, migrations: readonly Migration[], options: MigrateOptions): number {
  const latest = migrations.at(-1)?.version ?? 0;
  const currentVersion = readVersion(db);
  if (currentVersion > latest) {
    throw new AppError(
      "unavailable",
      `The ${options.databaseName} ${db.path} has version ${currentVersion}, but this program supports versions up to ${latest}. Upgrade Quern.`,
    );
  }
  if (currentVersion > 0 && currentVersion < latest) options.beforeChange?.(currentVersion, latest);
  for (const { version: to, sql } of migrations) {
    if (to <= currentVersion) continue;
    db.transaction(() => {
      if (readVersion(db) >= to) return;
      db.exec(sql);
      db.exec(`pragma user_version = ${to}`);
    });
  }
  return currentVersion;
}

const readVersion = (db: Database): number =>
  db.get<{ user_version: number }>("pragma user_version")?.user_version ?? 0;
