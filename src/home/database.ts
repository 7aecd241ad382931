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
  /** `full`: an acknowledged commit survives a power cut. */
  durability?: "full" | "normal";
  clock?: Clock;
  /** Reports slow statements of the stores. Queries made by drizzle bypass it. */
  slowQueries?: SlowQueryReport;
  /** For tests of migrations. */
  migrations?: readonly Migration[];
}

/** The connection that the stores share. Nobody else in this process may open the file. */
export interface HomeDatabase {
  /** For everyday queries. Its own `transaction` must not be used: it knows nothing of the one below. */
  readonly db: BunSQLiteDatabase<typeof schema>;
  /** For hot paths. */
  readonly raw: Database;
  readonly clock: Clock;
  /**
   * Runs `work` in a transaction, or in a savepoint of the one under way; whatever it throws undoes all of it.
   * @throws AppError `unavailable` when another process holds the lock for more than 250 ms
   */
  readonly transaction: <T>(work: () => T) => T;
  /**
   * A number that changes whenever the content may have, by this process or another one: two equal numbers mean that
   * nothing changed in between. Takes some microseconds, so caches may ask on each use.
   */
  readonly generation: () => number;
}

/** Connections wait no longer than this for another process: the server answers nobody meanwhile. */
const BUSY_TIMEOUT_MS = 250;

/**
 * Opens `home.sqlite` in the data folder, making both when missing, and brings it up to date.
 * @throws AppError `unavailable` when the file was written by a newer version of the program
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
        // Queries by drizzle do not pass through our wrapper.
        throw translateSqliteError(error);
      }
    },
  };
}

/** A full copy beside the documents' backups, named by version and time. */
function backUp(raw: Database, folder: string, name: string, clock: Clock): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, "-");
  raw.run("vacuum into ?", join(folder, `${name}-${time}.sqlite`));
}

/**
 * Other processes' commits show in `data_version`, our own in the number of changed rows. What was read between a
 * change and its undoing must not be believed afterwards, so undoing counts as a change as well. Others are looked for
 * once in a turn of the event loop, since that takes locks: what is asked for in it had come before they committed.
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
