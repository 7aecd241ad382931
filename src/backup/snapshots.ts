/**
 * Snapshots of earlier versions of documents, compressed in a folder next to each document: `snapshots/<id>.grist.zst`,
 * with metadata in `<id>.json`, which is written last. A version that was just replaced is stored uncompressed as
 * `<id>.grist` until it is compressed in the background.
 */
import { createReadStream, existsSync } from "node:fs";
import { copyFile, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, notFound } from "../errors.ts";
import type { StoredContent } from "../hosts/files/stored-contents.ts";
import type { Clock } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { formatCompactTime, parseCompactTime } from "./compact-time.ts";
import type { CompressedFile } from "./compression.ts";

export interface Snapshot {
  readonly id: string;
  /** The time of this version, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** Metadata of a snapshot. */
export interface SnapshotMetadata extends CompressedFile {
  /** The attachment contents that it references in stores. */
  readonly contents: readonly StoredContent[];
}

export interface SnapshotStoreOptions {
  /** The data folder. */
  readonly folder: string;
  /** Number of snapshots to keep per document. */
  readonly keep: number;
  readonly clock: Clock;
}

/** Temporary files older than this are leftovers. */
const LEFTOVER_AGE_MS = 24 * 3_600_000;

/** Returns true for a valid snapshot id. */
export const isSnapshotId = (text: string): boolean =>
  /^\d{8}T\d{9}Z-[0-9a-f]{8}$/.test(text) && parseCompactTime(text) !== null;

/** Snapshots as requests use them: of a data folder, or of a cluster. */
export type Snapshots = Pick<
  SnapshotStore,
  "list" | "newSnapshotPath" | "compressPending" | "decompress" | "contents" | "remove"
>;

export class SnapshotStore {
  readonly keep: number;
  readonly #folder: string;
  readonly #clock: Clock;

  constructor({ folder, keep, clock }: SnapshotStoreOptions) {
    this.#folder = folder;
    this.keep = keep;
    this.#clock = clock;
  }

  /** Lists snapshots, newest first. */
  async list(uuid: string): Promise<Snapshot[]> {
    const ids = new Set((await this.#names(uuid)).map((name) => name.replace(/\.(json|grist)$/, "")));
    return [...ids]
      .filter(isSnapshotId)
      .toSorted()
      .toReversed()
      .map((id) => ({ id, atMs: parseCompactTime(id) ?? 0 }));
  }

  /** Returns a snapshot's metadata; null when it does not exist or is not compressed yet. */
  async find(uuid: string, id: string): Promise<SnapshotMetadata | null> {
    if (!isSnapshotId(id)) return null;
    try {
      return JSON.parse(await readFile(this.#path(uuid, `${id}.json`), "utf8")) as SnapshotMetadata;
    } catch (error) {
      if (isMissing(error)) return null;
      throw new AppError("damaged", "The snapshot is damaged", { cause: error });
    }
  }

  /** Returns the path of a snapshot's compressed file. */
  fileOf(uuid: string, id: string): string {
    return this.#path(uuid, `${id}.grist.zst`);
  }

  /**
   * Returns the path to which a file that is about to be replaced can be moved; undefined when snapshots are disabled.
   * Call `compressPending` afterwards.
   */
  newSnapshotPath(uuid: string): string | undefined {
    return this.keep === 0 ? undefined : this.#path(uuid, `${newSnapshotId(this.#clock.now())}.grist`);
  }

  /**
   * Compresses uncompressed snapshots, and removes the oldest ones beyond the limit.
   * @param olderThanMs skips younger ones, which their creator compresses
   */
  async compressPending(uuid: string, { olderThanMs = 0 }: { olderThanMs?: number } = {}): Promise<void> {
    const before = this.#clock.now() - olderThanMs;
    for (const name of await this.#names(uuid)) {
      const id = name.replace(/\.grist$/, "");
      if (id === name || !isSnapshotId(id) || (parseCompactTime(id) ?? 0) > before) continue;
      const raw = this.#path(uuid, name);
      if (!(await this.find(uuid, id))) await this.#compress(uuid, id, raw);
      for (const suffix of ["", "-wal", "-shm"]) await rm(raw + suffix, { force: true });
    }
    await this.#removeExcess(uuid);
    await this.#removeLeftovers(uuid);
  }

  /**
   * Adds a compressed version, unless it equals the newest snapshot.
   * @param from the compressed file, which is copied, and the time of the version
   */
  async add(uuid: string, from: { file: string; atMs: number }, metadata: SnapshotMetadata): Promise<void> {
    const [newest] = await this.list(uuid);
    if (this.keep === 0 || (newest && (await this.find(uuid, newest.id))?.sha256 === metadata.sha256)) return;
    await this.put(uuid, newSnapshotId(from.atMs), async (part) => {
      await copyFile(from.file, part, constants.COPYFILE_FICLONE);
      return metadata;
    });
    await this.#removeExcess(uuid);
  }

  /**
   * Decompresses a snapshot to a new file.
   * @throws AppError `notFound`, `damaged`
   */
  async decompress(uuid: string, id: string, to: string): Promise<void> {
    const { fsyncPath, decompressToFile } = await import("./compression.ts");
    const metadata = await this.find(uuid, id);
    const raw = this.#path(uuid, `${id}.grist`);
    if (metadata) {
      await decompressToFile(createReadStream(this.fileOf(uuid, id)), to, metadata).catch((cause: unknown) => {
        throw toAppError(cause);
      });
    } else if (isSnapshotId(id) && existsSync(raw)) {
      const { copyClosedFile } = await import("../hosts/files/stored-contents.ts");
      copyClosedFile(raw, to);
      await fsyncPath(to);
    } else throw notFound("Snapshot not found", "snapshot.not_found");
  }

  /** Lists the attachment contents in stores that any snapshot references. */
  async contents(uuid: string): Promise<readonly StoredContent[]> {
    const all: StoredContent[] = [];
    for (const { id } of await this.list(uuid)) {
      const found = await this.find(uuid, id);
      all.push(...(found?.contents ?? (await contentsOf(this.#path(uuid, `${id}.grist`)))));
    }
    return all;
  }

  /** Removes snapshots. Returns the ids that existed. */
  async remove(uuid: string, ids: readonly string[]): Promise<string[]> {
    const requestedIds = new Set(ids);
    const removedIds = (await this.list(uuid)).map(({ id }) => id).filter((id) => requestedIds.has(id));
    for (const id of removedIds) {
      // The metadata goes first: without it the snapshot does not exist.
      for (const ending of ["json", "grist", "grist-wal", "grist-shm", "grist.zst"]) {
        await rm(this.#path(uuid, `${id}.${ending}`), { force: true });
      }
    }
    return removedIds;
  }

  async #compress(uuid: string, id: string, raw: string): Promise<void> {
    const { compressFile } = await import("./compression.ts");
    const { copyClosedFile } = await import("../hosts/files/stored-contents.ts");
    const contents = await contentsOf(raw);
    const cleanCopy = `${raw}.${randomHex(4)}.part`;
    try {
      const isClean = !existsSync(`${raw}-wal`);
      if (!isClean) copyClosedFile(raw, cleanCopy);
      await this.put(uuid, id, async (part) => ({
        ...(await compressFile(isClean ? raw : cleanCopy, part)),
        contents,
      }));
    } finally {
      await rm(cleanCopy, { force: true });
    }
  }

  /** Adds a snapshot atomically; `write` creates its compressed file at the given path. */
  async put(uuid: string, id: string, write: (partialFile: string) => Promise<SnapshotMetadata>): Promise<void> {
    const { fsyncPath } = await import("./compression.ts");
    await this.#makeFolder(uuid);
    const partialFile = this.#path(uuid, `${id}.${randomHex(4)}.part`);
    try {
      const { sha256, sizeBytes, packedBytes, contents } = await write(partialFile);
      await fsyncPath(partialFile);
      await rename(partialFile, this.fileOf(uuid, id));
      await writeFile(partialFile, JSON.stringify({ sha256, sizeBytes, packedBytes, contents }), { mode: 0o600 });
      await fsyncPath(partialFile);
      await rename(partialFile, this.#path(uuid, `${id}.json`));
      await fsyncPath(this.#path(uuid, "."));
    } catch (error) {
      await rm(partialFile, { force: true });
      throw error;
    }
  }

  async #removeExcess(uuid: string): Promise<void> {
    const ids = (await this.list(uuid)).map(({ id }) => id);
    await this.remove(uuid, ids.slice(this.keep));
  }

  /** Removes leftovers of a crash. */
  async #removeLeftovers(uuid: string): Promise<void> {
    const ids = new Set((await this.list(uuid)).map(({ id }) => id));
    for (const name of await this.#names(uuid)) {
      if (ids.has(name.replace(/\..*$/, "")) && !name.endsWith(".part")) continue;
      const path = this.#path(uuid, name);
      const { mtimeMs = Date.now() } = (await stat(path).catch(() => null)) ?? {};
      if (Date.now() - mtimeMs > LEFTOVER_AGE_MS) await rm(path, { force: true });
    }
  }

  async #makeFolder(uuid: string): Promise<void> {
    // Without parents: a document deleted in the meantime must not reappear as an empty folder.
    await mkdir(this.#path(uuid, "."), { mode: 0o700 }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    });
  }

  async #names(uuid: string): Promise<string[]> {
    try {
      return await readdir(this.#path(uuid, "."));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  #path(uuid: string, name: string): string {
    return join(this.#folder, "docs", uuid, "snapshots", name);
  }
}

/** Translates errors of decompression. */
function toAppError(cause: unknown): unknown {
  const { code } = cause as { code?: unknown };
  if (code === "damaged" || isMissing(cause)) {
    return new AppError("damaged", "The snapshot is damaged", { cause });
  }
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return isFull ? new AppError("storage", "The disk is full; nothing was changed", { cause }) : cause;
}

/** Returns a new id of a snapshot; ids sort by time. */
export const newSnapshotId = (atMs: number): string => `${formatCompactTime(atMs)}-${randomHex(4)}`;

/** Lists the contents that a replaced file references; empty when the file is unreadable. */
async function contentsOf(raw: string): Promise<readonly StoredContent[]> {
  const { listStoredContentsInFile } = await import("../hosts/files/stored-contents.ts");
  try {
    return listStoredContentsInFile(raw);
  } catch (error) {
    if (error instanceof AppError && ["damaged", "invalid"].includes(error.code)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
