import { rm, stat } from "node:fs/promises";
import { extname } from "node:path";
import { actorId, type Actor } from "../access.ts";
import { AppError, notFound } from "../errors.ts";
import {
  receiveUpload,
  type Upload,
  type UploadedFile,
  type UploadLimits,
  type UploadSource,
} from "../files/uploads.ts";
import type { StagedTable } from "../hosts/documents.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Timers } from "../lib/timers.ts";

/** How long files wait to be used. */
const KEPT_MS = 3_600_000;
/** How many uploads of one caller wait at a time; the oldest goes when there are more. */
const MOST_KEPT = 20;

/** How often expired files are looked for, and after what time a failed removal is tried again. */
const SWEEP_EVERY_MS = 60_000;

/** Rows of a file that were read in one way. */
export interface Staged {
  /** The way. */
  readonly key: string;
  readonly tables: readonly StagedTable[];
}

interface Kept {
  readonly upload: Upload;
  readonly userId: number;
  readonly sizeBytes: number;
  /** So that looking at a file before importing it reads it once. */
  staged: Staged | null;
  readonly until: number;
  /** Requests that use its files at the moment: they are removed after the last of them. */
  users: number;
}

/** A file of a kept upload, for as long as it is used. */
export interface FileInUse extends UploadedFile, AsyncDisposable {
  /**
   * The rows of the file, read in the way that `key` stands for: those that were read before, or what `stage` makes,
   * which is kept with the upload. Valid until the file is disposed of.
   */
  staged(key: string, stage: () => Promise<readonly StagedTable[]>): Promise<readonly StagedTable[]>;
}

/** An upload that is not yet read. */
export interface Incoming {
  readonly source: UploadSource;
  readonly limits: UploadLimits;
  /** Aborted when whoever sends it gives up. */
  readonly signal: AbortSignal;
}

/** What is told of files that were taken in. */
export interface KeptUpload {
  readonly uploadId: number;
  readonly files: readonly { readonly origName: string; readonly size: number; readonly ext: string }[];
}

/** Files that were uploaded to be used in a later request of the same caller. Gone when the server stops. */
export class Uploads implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #kept = new Map<number, Kept>();
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
  async keep(actor: Actor, { source, limits }: Incoming): Promise<KeptUpload> {
    const upload = await receiveUpload(source, limits);
    try {
      return await this.adopt(actor, upload, limits);
    } catch (error) {
      await upload[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Keeps an upload that has been received, with rows that were read of it: from now on they are removed from here.
   * @throws AppError `invalid` when there is no file
   */
  async adopt(
    actor: Actor,
    upload: Upload,
    { maxBytes, staged = null }: Pick<UploadLimits, "maxBytes"> & { staged?: Staged | null },
  ): Promise<KeptUpload> {
    const files = await Promise.all(uploadedFiles(upload).map(described));
    const sizeBytes = files.reduce((sum, { size }) => sum + size, 0);
    const userId = actorId(actor);
    await this.#makeRoom(userId, maxBytes - sizeBytes);
    const uploadId = ++this.#lastId;
    const until = this.#clock.elapsed() + KEPT_MS;
    this.#kept.set(uploadId, { upload, userId, sizeBytes, staged, until, users: 0 });
    this.#sweepLater();
    return { uploadId, files };
  }

  /**
   * The first file of an upload of the same caller; it stays where it is, at least until it is disposed of.
   * @throws AppError `notFound` also when it was somebody else's, or is gone
   */
  use(actor: Actor, uploadId: number): FileInUse {
    const kept = this.#kept.get(uploadId);
    if (!kept || kept.userId !== actorId(actor) || kept.until <= this.#clock.elapsed()) throw noSuchUpload();
    const [file] = uploadedFiles(kept.upload);
    if (!file) throw noSuchUpload();
    kept.users++;
    const own: StagedTable[] = [];
    const release = async () => {
      kept.users--;
      await removeRows(own);
      if (this.#kept.get(uploadId) !== kept) await removeUnused(kept);
    };
    const staged = async (key: string, stage: () => Promise<readonly StagedTable[]>) => {
      if (kept.staged?.key === key) return kept.staged.tables;
      const tables = await stage();
      // What another request reads at the moment stays.
      if (kept.staged && kept.users > 1) own.push(...tables);
      else {
        await removeRows(kept.staged?.tables ?? []);
        kept.staged = { key, tables };
      }
      return tables;
    };
    return { ...file, staged, [Symbol.asyncDispose]: release };
  }

  /** Looks for expired files as long as any are kept. */
  #sweepLater(): void {
    this.#cancelSweep ??= this.#timers.after(SWEEP_EVERY_MS, async () => {
      this.#cancelSweep = null;
      try {
        await this.#dropExpired();
      } catch (error) {
        this.#log.warn("uploads.sweep_failed", { error: String(error) });
      }
      if (this.#kept.size > 0) this.#sweepLater();
    });
  }

  async #dropExpired(): Promise<void> {
    const now = this.#clock.elapsed();
    for (const [id, { until }] of this.#kept) if (until <= now) await this.#drop(id);
  }

  /** Drops what is too old, and the oldest of a caller while they are too many or together too large. */
  async #makeRoom(userId: number, roomBytes: number): Promise<void> {
    await this.#dropExpired();
    const own = [...this.#kept].filter(([, kept]) => kept.userId === userId);
    let bytes = own.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, 0);
    for (const [at, [id, { sizeBytes }]] of own.entries()) {
      if (own.length - at < MOST_KEPT && bytes <= roomBytes) return;
      await this.#drop(id);
      bytes -= sizeBytes;
    }
  }

  async #drop(id: number): Promise<void> {
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.#kept.delete(id);
    try {
      await removeUnused(kept);
    } catch (error) {
      // Tried again by the next sweep; nobody finds it until then.
      this.#kept.set(id, { ...kept, until: 0 });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelSweep?.();
    for (const id of this.#kept.keys()) await this.#drop(id);
  }
}

/** Removes the files of an upload that nobody uses. */
async function removeUnused({ users, upload, staged }: Kept): Promise<void> {
  if (users > 0) return;
  await upload[Symbol.asyncDispose]();
  await removeRows(staged?.tables ?? []);
}

export async function removeRows(tables: readonly StagedTable[]): Promise<void> {
  for (const { path } of tables) await rm(path, { force: true });
}

const noSuchUpload = (): AppError => notFound("There is no such upload", "upload.not_found");

/** @throws AppError `invalid` when there is none */
export function uploadedFiles({ files }: Upload): readonly UploadedFile[] {
  const found = files.filter(({ field }) => field === "upload");
  if (found.length === 0) throw new AppError("upload.invalid", "The form has no file in its field upload");
  return found;
}

const described = async ({ name, path }: UploadedFile) => ({
  origName: name,
  size: (await stat(path)).size,
  ext: extname(name).toLowerCase(),
});
