import { rm, stat } from "node:fs/promises";
import { extname } from "node:path";
import { type AccountActor, actorId } from "../../authorization.ts";
import { AppError, notFound } from "../../errors.ts";
import {
  receiveUpload,
  type Upload,
  type UploadedFile,
  type UploadLimits,
  type UploadSource,
} from "../../files/uploads.ts";
import type { JobProgress } from "../../lib/concurrency/shared-job.ts";
import type { StagedTable } from "../../hosts/documents.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { ImportJob } from "./import-job.ts";

/** Lifetime of uploads. */
const RETENTION_MS = 3_600_000;
/** Maximum number of uploads per user; the oldest is evicted. */
const MAX_UPLOADS_PER_USER = 20;

/** Interval between sweeps for expired files, and between attempts of a failed removal. */
const SWEEP_INTERVAL_MS = 60_000;

/** Parsed rows of a file, for one set of options. */
export interface Staged {
  /** Identifies the options. */
  readonly key: string;
  readonly tables: readonly StagedTable[];
}

interface RetainedUpload {
  readonly upload: Upload;
  readonly userId: number;
  readonly sizeBytes: number;
  /** Cached, so that a dry run followed by an import parses the file once. */
  staged: Staged | null;
  readonly expiresAtMs: number;
  /** The requests that use the files: the last one removes them if they have expired. */
  readonly jobs: Set<ImportJob>;
}

/** A file of a retained upload, leased for the time of its use. */
export interface UploadLease extends UploadedFile, AsyncDisposable {
  /** Cancelled with the upload. */
  readonly job: ImportJob;
  /**
   * Returns the parsed rows for the options identified by `key`: cached ones, or the result of `stage`, which is
   * cached with the upload. Valid until the file is disposed of.
   */
  staged(key: string, stage: () => Promise<readonly StagedTable[]>): Promise<readonly StagedTable[]>;
}

/** An upload that has not been read yet. */
export interface IncomingUpload {
  readonly source: UploadSource;
  readonly limits: UploadLimits;
  /** Aborted when the sender disconnects. */
  readonly signal: AbortSignal;
}

/** The description of received files. */
export interface UploadResult {
  readonly uploadId: number;
  readonly files: readonly { readonly origName: string; readonly size: number; readonly ext: string }[];
}

export interface UploadStatus extends UploadResult {
  /** Null while no request reads the upload. */
  readonly progress: JobProgress | null;
}

/** An import that reads an upload. */
export interface RunningImport {
  readonly uploadId: number;
  readonly userId: number;
  readonly progress: UploadStatus["progress"];
}

/** Uploads for later requests of the same caller. Removed when the server stops. */
export class UploadStore implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #uploads = new Map<number, RetainedUpload>();
  #lastId = 0;
  #cancelSweep: (() => void) | null = null;

  constructor({ clock, timers, log }: { clock: Clock; timers: Timers; log: Log }) {
    this.#clock = clock;
    this.#timers = timers;
    this.#log = log;
  }

  /**
   * Receives the files of a form's field `upload` and keeps them for an hour.
   * @throws AppError as `receiveUpload`; `invalid` if the file is missing
   */
  async receive(actor: AccountActor, { source, limits }: IncomingUpload): Promise<UploadResult> {
    return this.keep(actor, await receiveUpload(source, limits), limits);
  }

  /** Retains a received upload; removes it if that fails. */
  async keep(actor: AccountActor, upload: Upload, limits: UploadLimits): Promise<UploadResult> {
    try {
      return await this.retain(actor, upload, limits);
    } catch (error) {
      await upload[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Retains a received upload with its parsed rows; takes over their removal.
   * @throws AppError `invalid` if the file is missing
   */
  async retain(
    actor: AccountActor,
    upload: Upload,
    { maxBytes, staged = null }: Pick<UploadLimits, "maxBytes"> & { staged?: Staged | null },
  ): Promise<UploadResult> {
    const files = await Promise.all(requireUploadedFiles(upload).map(describeUploadedFile));
    const sizeBytes = files.reduce((sum, { size }) => sum + size, 0);
    const userId = actorId(actor);
    await this.#evictOldest(userId, maxBytes - sizeBytes);
    const uploadId = ++this.#lastId;
    const expiresAtMs = this.#clock.elapsed() + RETENTION_MS;
    this.#uploads.set(uploadId, { upload, userId, sizeBytes, staged, expiresAtMs, jobs: new Set() });
    this.#scheduleSweep();
    return { uploadId, files };
  }

  /**
   * Leases the first file of an upload of the same caller, at least until it is disposed of.
   * @param request aborted when the caller disconnects
   * @throws AppError `notFound` also if it belongs to another caller, or has expired
   */
  acquire(actor: AccountActor, uploadId: number, request: AbortSignal): UploadLease {
    const upload = this.#find(actor, uploadId);
    const [file] = requireUploadedFiles(upload.upload);
    if (!file) throw uploadNotFound();
    const job = new ImportJob(request);
    upload.jobs.add(job);
    const ownRows: StagedTable[] = [];
    const release = async () => {
      upload.jobs.delete(job);
      await removeRows(ownRows);
      if (this.#uploads.get(uploadId) !== upload) await removeIfUnused(upload);
    };
    const staged = async (key: string, stage: () => Promise<readonly StagedTable[]>) => {
      if (upload.staged?.key === key) return upload.staged.tables;
      const tables = await stage();
      // Rows in use by another request are kept.
      if (upload.staged && upload.jobs.size > 1) ownRows.push(...tables);
      else {
        await removeRows(upload.staged?.tables ?? []);
        upload.staged = { key, tables };
      }
      return tables;
    };
    return { ...file, job, staged, [Symbol.asyncDispose]: release };
  }

  /**
   * Returns the files of an upload of the same caller, and the progress of the import that reads it.
   * @throws AppError as `acquire`
   */
  async describe(actor: AccountActor, uploadId: number): Promise<UploadStatus> {
    const { upload, jobs } = this.#find(actor, uploadId);
    const files = await Promise.all(requireUploadedFiles(upload).map(describeUploadedFile));
    return { uploadId, files, progress: [...jobs].at(-1)?.shared.progress ?? null };
  }

  /**
   * Removes an upload of the same caller, and cancels its imports.
   * @throws AppError as `acquire`
   */
  async cancel(actor: AccountActor, uploadId: number): Promise<void> {
    for (const job of this.#find(actor, uploadId).jobs) job.cancel();
    await this.#remove(uploadId);
  }

  /** Returns the imports in progress of all users; for operations that have checked access. */
  imports(): RunningImport[] {
    return [...this.#uploads].flatMap(([uploadId, { userId, jobs }]) => {
      const job = [...jobs].at(-1);
      return job ? [{ uploadId, userId, progress: job.shared.progress }] : [];
    });
  }

  /**
   * Cancels the imports that read an upload of any user; for operations that have checked access. The upload stays. Returns
   * false if there are none.
   */
  cancelImports(uploadId: number): boolean {
    const jobs = this.#uploads.get(uploadId)?.jobs;
    if (!jobs || jobs.size === 0) return false;
    for (const job of jobs) job.cancel();
    return true;
  }

  #find(actor: AccountActor, uploadId: number): RetainedUpload {
    const upload = this.#uploads.get(uploadId);
    if (!upload || upload.userId !== actorId(actor) || upload.expiresAtMs <= this.#clock.elapsed())
      throw uploadNotFound();
    return upload;
  }

  /** Schedules a sweep while there are uploads. */
  #scheduleSweep(): void {
    this.#cancelSweep ??= this.#timers.after(SWEEP_INTERVAL_MS, async () => {
      this.#cancelSweep = null;
      try {
        await this.#sweepExpired();
      } catch (error) {
        this.#log.warn("uploads.sweep_failed", { error: String(error) });
      }
      if (this.#uploads.size > 0) this.#scheduleSweep();
    });
  }

  async #sweepExpired(): Promise<void> {
    const now = this.#clock.elapsed();
    for (const [id, { expiresAtMs }] of this.#uploads) if (expiresAtMs <= now) await this.#remove(id);
  }

  /** Evicts expired uploads, and a user's oldest ones while they exceed the limits on number or size. */
  async #evictOldest(userId: number, requiredBytes: number): Promise<void> {
    await this.#sweepExpired();
    const userUploads = [...this.#uploads].filter(([, kept]) => kept.userId === userId);
    let bytes = userUploads.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, 0);
    for (const [at, [id, { sizeBytes }]] of userUploads.entries()) {
      if (userUploads.length - at < MAX_UPLOADS_PER_USER && bytes <= requiredBytes) return;
      await this.#remove(id);
      bytes -= sizeBytes;
    }
  }

  async #remove(id: number): Promise<void> {
    const upload = this.#uploads.get(id);
    if (!upload) return;
    this.#uploads.delete(id);
    try {
      await removeIfUnused(upload);
    } catch (error) {
      // The next sweep retries the removal; until then it counts as expired.
      this.#uploads.set(id, { ...upload, expiresAtMs: 0 });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelSweep?.();
    for (const id of this.#uploads.keys()) await this.#remove(id);
  }
}

/** Removes the files of an upload that is not in use. */
async function removeIfUnused({ jobs, upload, staged }: RetainedUpload): Promise<void> {
  if (jobs.size > 0) return;
  await upload[Symbol.asyncDispose]();
  await removeRows(staged?.tables ?? []);
}

export async function removeRows(tables: readonly StagedTable[]): Promise<void> {
  for (const { path } of tables) await rm(path, { force: true });
}

const uploadNotFound = (): AppError => notFound("Upload not found", "upload.not_found");

/** @throws AppError `invalid` if there is none */
export function requireUploadedFiles({ files }: Upload): readonly UploadedFile[] {
  const found = files.filter(({ field }) => field === "upload");
  if (found.length === 0) throw new AppError("upload.invalid", "The form field upload must contain a file");
  return found;
}

const describeUploadedFile = async ({ name, path }: UploadedFile) => ({
  origName: name,
  size: (await stat(path)).size,
  ext: extname(name).toLowerCase(),
});
