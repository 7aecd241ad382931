import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import { systemClock, type Clock } from "../lib/time/clock.ts";
import { runSoon } from "../lib/time/timers.ts";
import { Database, type SlowQueryReport } from "../sqlite/database.ts";
import { translateSqliteError } from "../sqlite/errors.ts";
import { migrate, type Migration } from "../sqlite/migrate.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import * as schema from "./schema.ts";

export interface HomeOptions {
  /** `full`: an acknowledged commit survives a power failure. */
  durability?: "full" | "normal";
  clock?: Clock;
  /** Reports slow statements of the stores. Queries made by drizzle bypass it. */
  slowQueries?: SlowQueryReport;
  /** For tests of migrations. */
  migrations?: readonly Migration[];
}

/** The connection that all stores share. Nothing else in this process may open the file. */
export interface HomeDatabase {
  /** For ordinary queries. Do not use its own `transaction`: it bypasses the one below. */
  readonly db: BunSQLiteDatabase<typeof schema>;
  /** For hot paths. */
  readonly raw: Database;
  readonly clock: Clock;
  /**
   * Runs `work` in a transaction, or in a savepoint of the current one; rolls back if it throws.
   * @throws AppError `unavailable` when another process holds the lock for more than 250 ms
   */
  readonly transaction: <T>(work: () => T) => T;
  /**
   * Returns a number that changes whenever the content may have changed, in this or another process: equal numbers mean
   * that nothing changed in between. Takes some microseconds, so caches can check it on every read.
   */
  readonly generation: () => number;
}

/** Timeout for locks of other processes: waiting blocks the server. */
const BUSY_TIMEOUT_MS = 250;

/**
 * Opens `home.sqlite` in the data folder, creating both if necessary, and applies pending migrations.
 * @throws AppError `unavailable` when a newer version of the program wrote the file
 */
export function openHomeDatabase(folder: string, options: HomeOptions = {}): HomeDatabase {
  const { durability = "full", clock = systemClock, migrations = MIGRATIONS } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const raw = new Database(join(folder, "home.sqlite"), {
    create: true,
    journal: "wal",
    durability,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    foreignKeys: true,
    measuredAs: "home",
    ...(options.slowQueries && { slowQueries: options.slowQueries }),
  });
  try {
    migrate(raw, migrations, {
      databaseName: "home database",
      beforeChange: (from) => backUp(raw, join(folder, "backups"), `home-v${from}`, clock),
    });
  } catch (error) {
    raw.close();
    throw error;
  }
  const { generation, onRollback } = trackGeneration(raw);
  return {
    db: raw.wrapConnection((client) => drizzle({ client, schema })),
    raw,
    clock,
    generation,
    transaction(work) {
      try {
        return raw.transaction(work);
      } catch (error) {
        onRollback();
        // Errors of drizzle queries are not translated by `Database`.
        throw translateSqliteError(error);
      }
    },
  };
}

/** Writes a full copy next to the documents' backups, named by version and time. */
function backUp(raw: Database, folder: string, name: string, clock: Clock): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-");
  raw.run("vacuum into ?", join(folder, `${name}-${time}.sqlite`));
}

/**
 * Commits of other processes change `data_version`, our own changes the number of changed rows. A rollback counts as a
 * change too: values read between a change and its rollback must not stay cached. `data_version` is read at most once
 * per turn of the event loop, since that takes locks: requests handled in this turn arrived before other processes
 * committed.
 */
function trackGeneration(raw: Database): { generation: () => number; onRollback: () => void } {
  const version = raw.prepare("pragma data_version");
  const changes = raw.prepare("select total_changes() as changes");
  let lastVersion = -1;
  let lastChanges = -1;
  let generation = 0;
  let isVersionCached = false;
  const externalVersion = (): number => {
    if (isVersionCached) return lastVersion;
    isVersionCached = true;
    runSoon(() => {
      isVersionCached = false;
    });
    return (version.get() as { data_version: number }).data_version;
  };
  return {
    onRollback() {
      generation++;
    },
    generation() {
      const nowVersion = externalVersion();
      const { changes: nowChanges } = changes.get() as { changes: number };
      if (nowVersion !== lastVersion || nowChanges !== lastChanges) {
        lastVersion = nowVersion;
        lastChanges = nowChanges;
        generation++;
      }
      return generation;
    },
  };
}
