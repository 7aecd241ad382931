import { rm, stat } from "node:fs/promises";
import { extname } from "node:path";
import { actorId, type Actor } from "../../authorization.ts";
import { AppError, notFound } from "../../errors.ts";
import {
  receiveUpload,
  type Upload,
  type UploadedFile,
  type UploadLimits,
  type UploadSource,
} from "../../files/uploads.ts";
import type { StagedTable } from "../../hosts/documents.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";

/** How long files wait to be used. */
const RETENTION_MS = 3_600_000;
/** How many uploads of one caller wait at a time; the oldest goes when there are more. */
const MAX_UPLOADS_PER_USER = 20;

/** How often expired files are looked for, and after what time a failed removal is tried again. */
const SWEEP_INTERVAL_MS = 60_000;

/** Rows of a file that were read in one way. */
export interface Staged {
  /** The way. */
  readonly key: string;
  readonly tables: readonly StagedTable[];
}

interface RetainedUpload {
  readonly upload: Upload;
  readonly userId: number;
  readonly sizeBytes: number;
  /** So that looking at a file before importing it reads it once. */
  staged: Staged | null;
  readonly expiresAtMs: number;
  /** Requests that use its files at the moment: they are removed after the last of them. */
  useCount: number;
}

/** A file of a kept upload, for as long as it is used. */
export interface UploadLease extends UploadedFile, AsyncDisposable {
  /**
   * The rows of the file, read in the way that `key` stands for: those that were read before, or what `stage` makes,
   * which is kept with the upload. Valid until the file is disposed of.
   */
  staged(key: string, stage: () => Promise<readonly StagedTable[]>): Promise<readonly StagedTable[]>;
}

/** An upload that is not yet read. */
export interface IncomingUpload {
  readonly source: UploadSource;
  readonly limits: UploadLimits;
  /** Aborted when whoever sends it gives up. */
  readonly signal: AbortSignal;
}

/** What is told of files that were taken in. */
export interface UploadResult {
  readonly uploadId: number;
  readonly files: readonly { readonly origName: string; readonly size: number; readonly ext: string }[];
}

/** Files that were uploaded to be used in a later request of the same caller. Gone when the server stops. */
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
   * Takes in the files of a form's field `upload` and keeps them for an hour.
   * @throws AppError as `receiveUpload`; `invalid` when there is no file
   */
  async receive(actor: Actor, { source, limits }: IncomingUpload): Promise<UploadResult> {
    const upload = await receiveUpload(source, limits);
    try {
      return await this.retain(actor, upload, limits);
    } catch (error) {
      await upload[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Keeps an upload that has been received, with rows that were read of it: from now on they are removed from here.
   * @throws AppError `invalid` when there is no file
   */
  async retain(
    actor: Actor,
    upload: Upload,
    { maxBytes, staged = null }: Pick<UploadLimits, "maxBytes"> & { staged?: Staged | null },
  ): Promise<UploadResult> {
    const files = await Promise.all(requireUploadedFiles(upload).map(describeUploadedFile));
    const sizeBytes = files.reduce((sum, { size }) => sum + size, 0);
    const userId = actorId(actor);
    await this.#evictOldest(userId, maxBytes - sizeBytes);
    const uploadId = ++this.#lastId;
    const expiresAtMs = this.#clock.elapsed() + RETENTION_MS;
    this.#uploads.set(uploadId, { upload, userId, sizeBytes, staged, expiresAtMs, useCount: 0 });
    this.#scheduleSweep();
    return { uploadId, files };
  }

  /**
   * The first file of an upload of the same caller; it stays where it is, at least until it is disposed of.
   * @throws AppError `notFound` also when it was somebody else's, or is gone
   */
  acquire(actor: Actor, uploadId: number): UploadLease {
    const upload = this.#uploads.get(uploadId);
    if (!upload || upload.userId !== actorId(actor) || upload.expiresAtMs <= this.#clock.elapsed())
      throw uploadNotFound();
    const [file] = requireUploadedFiles(upload.upload);
    if (!file) throw uploadNotFound();
    upload.useCount++;
    const ownRows: StagedTable[] = [];
    const release = async () => {
      upload.useCount--;
      await removeRows(ownRows);
      if (this.#uploads.get(uploadId) !== upload) await removeIfUnused(upload);
    };
    const staged = async (key: string, stage: () => Promise<readonly StagedTable[]>) => {
      if (upload.staged?.key === key) return upload.staged.tables;
      const tables = await stage();
      // What another request reads at the moment stays.
      if (upload.staged && upload.useCount > 1) ownRows.push(...tables);
      else {
        await removeRows(upload.staged?.tables ?? []);
        upload.staged = { key, tables };
      }
      return tables;
    };
    return { ...file, staged, [Symbol.asyncDispose]: release };
  }

  /** Looks for expired files as long as any are kept. */
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

  /** Drops what is too old, and the oldest of a caller while they are too many or together too large. */
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
      // Tried again by the next sweep; nobody finds it until then.
      this.#uploads.set(id, { ...upload, expiresAtMs: 0 });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelSweep?.();
    for (const id of this.#uploads.keys()) await this.#remove(id);
  }
}

/** Removes the files of an upload that nobody uses. */
async function removeIfUnused({ useCount, upload, staged }: RetainedUpload): Promise<void> {
  if (useCount > 0) return;
  await upload[Symbol.asyncDispose]();
  await removeRows(staged?.tables ?? []);
}

export async function removeRows(tables: readonly StagedTable[]): Promise<void> {
  for (const { path } of tables) await rm(path, { force: true });
}

const uploadNotFound = (): AppError => notFound("There is no such upload", "upload.not_found");

/** @throws AppError `invalid` when there is none */
export function requireUploadedFiles({ files }: Upload): readonly UploadedFile[] {
  const found = files.filter(({ field }) => field === "upload");
  if (found.length === 0) throw new AppError("upload.invalid", "The form has no file in its field upload");
  return found;
}

const describeUploadedFile = async ({ name, path }: UploadedFile) => ({
  origName: name,
  size: (await stat(path)).size,
  ext: extname(name).toLowerCase(),
});
