import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { BackupListing } from "./list-backups.ts";
import type { BackupTarget } from "./backup-target.ts";
import type { BackupReport } from "./create-backup.ts";

export interface BackupScheduleOptions {
  /** The backup target; null when backups are disabled. */
  readonly place: string | null;
  readonly everyMs: number;
  /** Number of backups to keep; 0 keeps all. */
  readonly keep: number;
  /** Opens the target, for listing backups. */
  readonly open: () => Promise<BackupTarget>;
  /** The command line that starts this program. */
  readonly command: readonly string[];
  /** Environment of the backup process: the settings that it reads. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when a backup has failed. */
  readonly onFailure?: () => void;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Status of the server's backups. Times are in milliseconds since the epoch. */
export interface BackupStatus {
  /** Null when backups are disabled. */
  readonly place: string | null;
  readonly everyMs: number;
  readonly keep: number;
  readonly isRunning: boolean;
  /** When the next backup starts; null while one is running, and when backups are disabled. */
  readonly nextAt: number | null;
  /** The newest backup, including those made before the server started. */
  readonly lastSuccess: CompletedBackup | null;
  /** Since the server started. */
  readonly lastFailure: { readonly at: number; readonly error: string } | null;
}

export interface CompletedBackup extends Pick<BackupListing, "name" | "documents" | "sizeBytes" | "packedBytes"> {
  readonly at: number;
  /** Null for backups made before the server started. */
  readonly durationMs: number | null;
  /** Bytes added to the target by this backup. */
  readonly addedBytes: number | null;
}

/** Failed backups are retried earlier than the regular interval. */
const RETRY_MS = 10 * 60_000;

/**
 * Runs scheduled backups, one at a time, each in a separate process: requests have priority, the backup's memory is
 * released afterwards, and SQLite's file locks of this process are not affected.
 */
export class BackupSchedule {
  readonly #options: BackupScheduleOptions;
  #cancelTimer = (): void => {};
  #nextAt: number | null = null;
  #lastSuccess: CompletedBackup | null = null;
  #lastFailure: BackupStatus["lastFailure"] = null;
  #running: Promise<void> | undefined;
  #process: Bun.Subprocess<"ignore", "pipe", "pipe"> | undefined;
  #isStopped = false;
  #isPaused = false;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
  }

  status(): BackupStatus {
    const { place, everyMs, keep } = this.#options;
    const [lastSuccess, lastFailure, nextAt] = [this.#lastSuccess, this.#lastFailure, this.#nextAt];
    return { place, everyMs, keep, isRunning: this.#process !== undefined, nextAt, lastSuccess, lastFailure };
  }

  /** Starts the schedule: the first backup runs when the newest existing one is old enough. */
  start(): void {
    this.#isPaused = false;
    if (this.#options.place !== null) this.#runTask(() => this.#catchUp());
  }

  /** Starts a backup unless one is running. `status` reports the result. */
  requestBackup(): void {
    if (this.#options.place !== null) this.#runTask(() => this.#backUp());
  }

  /** As `requestBackup`, and waits for the running backup. */
  async backUpNow(): Promise<void> {
    this.requestBackup();
    await this.#running;
  }

  /** Lists the backups in the target, newest first. @throws AppError `unavailable` */
  async list(): Promise<BackupListing[]> {
    if (this.#options.place === null) return [];
    const { listBackups } = await import("./list-backups.ts");
    return listBackups(await this.#options.open());
  }

  /** Waits for running tasks. */
  async whenIdle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** As `stop`, until `start` is called again. */
  pause(): void {
    this.#isPaused = true;
    this.#cancelTimer();
    this.#nextAt = null;
    this.#process?.kill();
  }

  /** Aborts a running backup; existing backups stay intact. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#process?.kill();
    await this.#running;
  }

  /** Runs one task at a time. */
  #runTask(task: () => Promise<void>): void {
    if (this.#running || this.#isStopped) return;
    this.#cancelTimer();
    this.#nextAt = null;
    this.#running = task().finally(() => (this.#running = undefined));
  }

  async #catchUp(): Promise<void> {
    const { everyMs, open, clock, log } = this.#options;
    try {
      const { newestBackup } = await import("./list-backups.ts");
      const newest = await newestBackup(await open());
      if (newest && newest.createdAt !== null) {
        const { name, documents, sizeBytes, packedBytes } = newest;
        const at = Date.parse(newest.createdAt);
        this.#lastSuccess = { name, at, documents, sizeBytes, packedBytes, durationMs: null, addedBytes: null };
      }
    } catch (error) {
      // The backup itself will report the error.
      log.warn("backup.list_failed", { error: String(error) });
    }
    const dueAt = this.#lastSuccess === null ? 0 : this.#lastSuccess.at + everyMs;
    // At most one interval, whatever the clock says.
    this.#scheduleNext(Math.min(Math.max(0, dueAt - clock.now()), everyMs));
  }

  #scheduleNext(ms: number): void {
    if (this.#isStopped || this.#isPaused) return;
    const { clock, timers } = this.#options;
    this.#nextAt = clock.now() + ms;
    const dueAt = clock.elapsed() + ms;
    const arm = () => {
      this.#cancelTimer = timers.after(dueAt - clock.elapsed(), () => {
        // Timers may fire early.
        if (clock.elapsed() < dueAt) arm();
        else this.#runTask(() => this.#backUp());
      });
    };
    arm();
  }

  async #backUp(): Promise<void> {
    const { clock, everyMs, log } = this.#options;
    const started = clock.elapsed();
    let error: string | null;
    try {
      error = await this.#runProcess();
    } catch (failure) {
      error = String(failure);
    } finally {
      this.#process = undefined;
    }
    if (this.#isStopped || this.#isPaused) return;
    if (error !== null) {
      this.#lastFailure = { at: clock.now(), error };
      log.error("backup.failed", { place: this.#options.place, error });
      this.#options.onFailure?.();
    }
    const untilNext = error === null ? everyMs : Math.min(everyMs, RETRY_MS);
    this.#scheduleNext(Math.max(0, started + untilNext - clock.elapsed()));
  }

  /** Returns the error message; null on success. */
  async #runProcess(): Promise<string | null> {
    const { place, keep, command, env, clock, log } = this.#options;
    const keepArguments = keep > 0 ? ["--keep", String(keep)] : [];
    const child = Bun.spawn([...command, "backup", "--to", place ?? "", ...keepArguments, "--json"], {
      env: { ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#process = child;
    const [out, err, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (out.startsWith("{")) {
      const report = JSON.parse(out) as BackupReport;
      const { name, documents, sizeBytes, packedBytes, addedBytes, durationMs } = report;
      const at = clock.now();
      this.#lastSuccess = { name, at, documents, sizeBytes, packedBytes, durationMs, addedBytes };
      log.info("backup.completed", { place, name, documents, packedBytes, addedBytes, durationMs });
    }
    if (status === 0) return null;
    return err.trim().replace(/^quern backup: /, "") || `exited with ${child.signalCode ?? status}`;
  }
}
