import { AppError } from "../errors.ts";
import type { Database } from "./database.ts";

export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  readonly sql: string;
}

export interface MigrateOptions {
  /** What the file is, for the refusal: "home database". */
  what: string;
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
  const found = version(db);
  if (found > latest) {
    throw new AppError(
      "unavailable",
      `The ${options.what} ${db.path} is of version ${found}; this program knows versions up to ${latest}. Use a newer one.`,
    );
  }
  if (found > 0 && found < latest) options.beforeChange?.(found, latest);
  for (const { version: to, sql } of migrations) {
    if (to <= found) continue;
    db.transaction(() => {
      if (version(db) >= to) return;
      db.exec(sql);
      db.exec(`pragma user_version = ${to}`);
    });
  }
  return found;
}

const version = (db: Database): number => db.get<{ user_version: number }>("pragma user_version")?.user_version ?? 0;
