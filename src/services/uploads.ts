import { stat } from "node:fs/promises";
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
import type { Clock } from "../lib/clock.ts";

/** How long files wait to be used. */
const KEPT_MS = 3_600_000;
/** How many uploads of one caller wait at a time; the oldest goes when there are more. */
const MOST_KEPT = 20;

interface Kept {
  readonly upload: Upload;
  readonly userId: number;
  readonly sizeBytes: number;
  readonly until: number;
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
  readonly #kept = new Map<number, Kept>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes in the files of a form's field `upload` and keeps them for an hour.
   * @throws AppError as `receiveUpload`; `invalid` when there is no file
   */
  async keep(actor: Actor, { source, limits }: Incoming): Promise<KeptUpload> {
    const upload = await receiveUpload(source, limits);
    try {
      const files = await Promise.all(uploadedFiles(upload).map(described));
      const sizeBytes = files.reduce((sum, { size }) => sum + size, 0);
      const userId = actorId(actor);
      await this.#makeRoom(userId, limits.maxBytes - sizeBytes);
      const uploadId = ++this.#lastId;
      this.#kept.set(uploadId, { upload, userId, sizeBytes, until: this.#clock.elapsed() + KEPT_MS });
      return { uploadId, files };
    } catch (error) {
      await upload[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * The first file of an upload of the same caller; it stays where it is.
   * @throws AppError `notFound` also when it was somebody else's, or is gone
   */
  find(actor: Actor, uploadId: number): UploadedFile {
    const kept = this.#kept.get(uploadId);
    const [file] =
      kept && kept.userId === actorId(actor) && kept.until > this.#clock.elapsed() ? uploadedFiles(kept.upload) : [];
    if (!file) throw notFound("There is no such upload", "upload.not_found");
    return file;
  }

  /** Drops what is too old, and the oldest of a caller while they are too many or together too large. */
  async #makeRoom(userId: number, roomBytes: number): Promise<void> {
    const now = this.#clock.elapsed();
    for (const [id, { until }] of this.#kept) if (until <= now) await this.#drop(id);
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
    this.#kept.delete(id);
    await kept?.upload[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#kept.keys()) await this.#drop(id);
  }
}

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
