import { AppError } from "../errors.ts";
import type { Database } from "./database.ts";

export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  readonly sql: string;
}

export interface MigrateOptions {
  /** What the file is, for the refusal: "home database". */
  databaseName: string;
  /** Called once before the first change to a file that has content already: makes the backup. */
  beforeChange?: (from: number, to: number) => void;
}

/**
 * Brings a database of ours up to date by `PRAGMA user_version`: each step in a transaction with its version, which is
 * read again inside, so that two processes starting at once do not both apply it.
 * @returns the version it had.
 * @throws AppError `unavailable` when the file is of a newer version than we know.
 */
export function migrate(db: Database, migrations: readonly Migration[], options: MigrateOptions): number {
  const latest = migrations.at(-1)?.version ?? 0;
  const currentVersion = readVersion(db);
  if (currentVersion > latest) {
    throw new AppError(
      "unavailable",
      `The ${options.databaseName} ${db.path} is of version ${currentVersion}; this program knows versions up to ${latest}. Use a newer one.`,
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
