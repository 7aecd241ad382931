import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { drizzle, type BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import { AppError } from "../errors.ts";
import { systemClock, type Clock } from "../lib/time/clock.ts";
import { runSoon } from "../lib/time/timers.ts";
import { Database, type Durability, type SlowQueryReport } from "../sqlite/database.ts";
import { translateSqliteError } from "../sqlite/errors.ts";
import { migrate, type Migration, readVersion, requireKnownVersion } from "../sqlite/migrate.ts";
import { HomeCounter } from "./home-counter.ts";
import { HomeFrames, type HomeLog } from "./home-log.ts";
import { backUpHome, HOME_FILE, type HomeUpgrade, type HomeUpgradeStep } from "./home-upgrade.ts";
import { MIGRATIONS, OLDEST_USABLE_VERSION } from "./migrations/index.ts";
import * as schema from "./schema.ts";

export interface HomeOptions {
  /** As `OpenOptions.durability`. */
  durability?: Durability;
  /** Log mode: commits can be collected with their pages. */
  isLogged?: boolean;
  clock?: Clock;
  /** Reports slow statements. */
  slowQueries?: SlowQueryReport;
  /** Called at each step of an upgrade of an existing file. */
  onUpgrade?: (step: HomeUpgradeStep, upgrade: HomeUpgrade) => void;
  /**
   * Opens a replica: it is not migrated and not writable until `setWritable`. The file exists. Only in log mode.
   */
  isReplica?: boolean;
  /** For tests of migrations. */
  migrations?: readonly Migration[];
  /** For tests of migrations in a cluster. */
  oldestUsable?: number;
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
  /** In log mode; otherwise null. */
  readonly log: HomeLog | null;
  /**
   * Closes the file, calls `work`, which may change it, and opens it again; `db` and `raw` stay valid. For a replica, which
   * is not written to other than by `work`.
   * @throws AppError `unavailable` when another process has it open; nothing was changed
   */
  readonly replaceContent: (work: (path: string) => void) => void;
  /** Makes a replica writable, or read-only again: then every write fails. It keeps this across `replaceContent`. */
  readonly setWritable: (isWritable: boolean) => void;
  /** Returns the version of the schema. */
  readonly version: () => number;
  /** The versions of the schema that this program can work with; `migrate` leads to the latest. */
  readonly usable: { readonly oldest: number; readonly latest: number };
  /** Applies pending migrations, for a replica that has become writable. */
  readonly migrate: () => void;
  /** Closes the file. Idempotent. */
  readonly close: () => void;
}

const DATABASE_NAME = "home database";
/** Timeout for locks of other processes: waiting blocks the server. */
const BUSY_TIMEOUT_MS = 250;

/**
 * Opens `home.sqlite` in the data folder, creating both if necessary, and applies pending migrations.
 * @throws AppError `unavailable` when a newer version of the program wrote the file
 */
export function openHomeDatabase(folder: string, options: HomeOptions = {}): HomeDatabase {
  const { durability = "full", clock = systemClock, migrations = MIGRATIONS, onUpgrade } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  denyOtherUsers(join(folder, HOME_FILE));
  const raw = new Database(join(folder, HOME_FILE), {
    create: true,
    journal: "wal",
    durability,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    foreignKeys: true,
    keepsLog: options.isLogged ?? false,
    measuredAs: "home",
    ...(options.slowQueries && { slowQueries: options.slowQueries }),
  });
  let log: HomeFrames | null = null;
  let counter: HomeCounter | null = null;
  const runMigrations = () => {
    // A migration may change no rows.
    counter?.advance();
    let upgrade: HomeUpgrade | undefined;
    migrate(raw, migrations, {
      databaseName: DATABASE_NAME,
      beforeChange(from, to) {
        onUpgrade?.("started", { from, to, backup: null });
        upgrade = { from, to, backup: backUpHome(raw, folder, { from, clock }) };
        onUpgrade?.("backedUp", upgrade);
      },
    });
    if (upgrade) onUpgrade?.("completed", upgrade);
  };
  const latest = migrations.at(-1)?.version ?? 0;
  let isWritable = !options.isReplica;
  const applyWritable = () => {
    raw.refuseTransactions(isWritable ? null : ownedElsewhere);
    raw.exec(`pragma query_only = ${isWritable ? "off" : "on"}`);
  };
  try {
    counter = HomeCounter.of(raw);
    if (counter && options.isLogged) log = new HomeFrames(raw, counter);
    if (options.isReplica) {
      requireKnownVersion(raw, { databaseName: DATABASE_NAME, latest });
      applyWritable();
    } else runMigrations();
    if (options.isLogged && !log) {
      const created = HomeCounter.of(raw, { create: true });
      if (created) log = new HomeFrames(raw, created);
    }
  } catch (error) {
    raw.close();
    throw error;
  }
  const { generation, onRollback } = trackGeneration(raw);
  let isClosed = false;
  return {
    db: raw.wrapConnection((client) => drizzle({ client, schema })),
    raw,
    clock,
    generation,
    log,
    replaceContent(work) {
      log?.suspend();
      try {
        replaceContent(raw, work);
      } finally {
        onRollback();
        counter = HomeCounter.of(raw);
        if (counter) log?.resume(counter);
        if (!isWritable) applyWritable();
      }
    },
    setWritable(value) {
      isWritable = value;
      applyWritable();
    },
    version: () => readVersion(raw),
    usable: { oldest: options.oldestUsable ?? OLDEST_USABLE_VERSION, latest },
    migrate() {
      runMigrations();
      raw.clearStatements();
      onRollback();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      try {
        if (log) log.close();
        // Beside a server in log mode, which has to read the log first, this would empty it.
        else if (!HomeCounter.exists(raw)) raw.checkpoint("truncate");
      } catch {
        // No data is lost: committed changes are in the write-ahead log.
      }
      log?.suspend();
      raw.close();
    },
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

/** A request that began while this server owned the home database may still run when it does not any more. */
const ownedElsewhere = (): AppError =>
  new AppError("unavailable", "Another server owns the home database; try again", { retryAfterS: 1 });

/** As `HomeDatabase.replaceContent`. */
function replaceContent(raw: Database, work: (path: string) => void): void {
  const { path } = raw;
  if (!raw.checkpoint("truncate")) throw new AppError("unavailable", "The home database is in use", { retryAfterS: 1 });
  raw.reopen(() => {
    // SQLite has deleted the log unless another process, such as a backup, has the file open: that one keeps its file.
    if (!existsSync(`${path}-wal`)) return work(path);
    const copy = `${path}.part`;
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    work(copy);
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    renameSync(copy, path);
  });
}

/**
 * Creates the file for its owner only, and withdraws access of other users of the machine from an existing one: the
 * folder may be readable for all of them. SQLite gives the log the same permissions.
 */
function denyOtherUsers(path: string): void {
  try {
    const { mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mode === undefined) closeSync(openSync(path, "wx", 0o600));
    else if ((mode & 0o007) !== 0) chmodSync(path, mode & 0o770);
  } catch {
    // A command may run as another user of the group, and opening reports what is wrong with the folder.
  }
}

/**
 * Commits of other processes change `data_version`, our own changes the number of changed rows. A rollback counts as a
 * change too: values read between a change and its rollback must not stay cached. `data_version` is read at most once
 * per turn of the event loop, since that takes locks: requests handled in this turn arrived before other processes
 * committed.
 */
function trackGeneration(raw: Database): { generation: () => number; onRollback: () => void } {
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
    return (raw.prepare("pragma data_version").get() as { data_version: number }).data_version;
  };
  return {
    onRollback() {
      generation++;
    },
    generation() {
      const nowVersion = externalVersion();
      // From the cache of statements, which ends when the content is replaced.
      const { changes: nowChanges } = raw.prepare("select total_changes() as changes").get() as { changes: number };
      if (nowVersion !== lastVersion || nowChanges !== lastChanges) {
        lastVersion = nowVersion;
        lastChanges = nowChanges;
        generation++;
      }
      return generation;
    },
  };
}
