import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { BackupListing } from "./list-backups.ts";
import type { BackupTarget } from "./backup-target.ts";
import type { BackupReport } from "./create-backup.ts";

export interface BackupScheduleOptions {
  /** The place that backups go to; null when none are to be made. */
  readonly place: string | null;
  readonly everyMs: number;
  /** Backups that stay there; 0 keeps all. */
  readonly keep: number;
  /** Opens the place, for looking at what is there. */
  readonly open: () => Promise<BackupTarget>;
  /** The words that start this program. */
  readonly command: readonly string[];
  /** The environment of what makes the backups: the settings that it takes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** How the server's backups fare. Times are in milliseconds since the epoch. */
export interface BackupStatus {
  /** Null when none are to be made. */
  readonly place: string | null;
  readonly everyMs: number;
  readonly keep: number;
  readonly isRunning: boolean;
  /** When the next one begins; null while one is being made, and when none are to be. */
  readonly nextAt: number | null;
  /** The newest backup, also one that was made before the server was started. */
  readonly lastSuccess: CompletedBackup | null;
  /** Since the server was started. */
  readonly lastFailure: { readonly at: number; readonly error: string } | null;
}

export interface CompletedBackup extends Pick<BackupListing, "name" | "documents" | "sizeBytes" | "packedBytes"> {
  readonly at: number;
  /** Of those that were made before the server was started nobody knows. */
  readonly durationMs: number | null;
  /** What was not in the place before. */
  readonly addedBytes: number | null;
}

/** After a failure it is tried again sooner than is set. */
const RETRY_MS = 10 * 60_000;

/**
 * Makes backups at their times, each in a process of its own: requests go on at a higher priority, what it takes of
 * memory is given back, and SQLite's locks of this process stay what they are. One at a time.
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

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
  }

  status(): BackupStatus {
    const { place, everyMs, keep } = this.#options;
    const [lastSuccess, lastFailure, nextAt] = [this.#lastSuccess, this.#lastFailure, this.#nextAt];
    return { place, everyMs, keep, isRunning: this.#process !== undefined, nextAt, lastSuccess, lastFailure };
  }

  /** Begins to make backups: the first one when the newest that is there is old enough. */
  start(): void {
    if (this.#options.place !== null) this.#runTask(() => this.#catchUp());
  }

  /** Begins to make a backup, where none is being made. What came of it is told by `status`. */
  requestBackup(): void {
    if (this.#options.place !== null) this.#runTask(() => this.#backUp());
  }

  /** As `begin`, and waits for the one that is being made. */
  async backUpNow(): Promise<void> {
    this.requestBackup();
    await this.#running;
  }

  /** The backups in the place, newest first. @throws AppError `unavailable` */
  async list(): Promise<BackupListing[]> {
    if (this.#options.place === null) return [];
    const { listBackups } = await import("./list-backups.ts");
    return listBackups(await this.#options.open());
  }

  /** Waits for what is being done just now. */
  async whenIdle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  /** Breaks off what is being made; what was there before stays whole. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#process?.kill();
    await this.#running;
  }

  /** Does one thing after the other is done. */
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
      // The backup itself will tell what is wrong.
      log.warn("backup.list_failed", { error: String(error) });
    }
    const dueAt = this.#lastSuccess === null ? 0 : this.#lastSuccess.at + everyMs;
    // No longer than that, whatever the clock says.
    this.#scheduleNext(Math.min(Math.max(0, dueAt - clock.now()), everyMs));
  }

  #scheduleNext(ms: number): void {
    if (this.#isStopped) return;
    const { clock, timers } = this.#options;
    this.#nextAt = clock.now() + ms;
    const dueAt = clock.elapsed() + ms;
    const arm = () => {
      this.#cancelTimer = timers.after(dueAt - clock.elapsed(), () => {
        // Timers may be shorter than what they are set to.
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
    if (this.#isStopped) return;
    if (error !== null) {
      this.#lastFailure = { at: clock.now(), error };
      log.error("backup.failed", { place: this.#options.place, error });
    }
    const untilNext = error === null ? everyMs : Math.min(everyMs, RETRY_MS);
    this.#scheduleNext(Math.max(0, started + untilNext - clock.elapsed()));
  }

  /** Answers what went wrong; null when nothing did. */
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
    return err.trim().replace(/^quern backup: /, "") || `it ended with ${child.signalCode ?? status}`;
  }
}
