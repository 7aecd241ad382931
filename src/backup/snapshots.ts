/**
 * Earlier contents of documents, compressed in a folder beside each: `snapshots/<id>.grist.zst`, with what is known of
 * it in `<id>.json`, which is written last. What was replaced only just now lies there as it was, `<id>.grist`, until
 * somebody has had the time to compress it.
 */
import { createReadStream, existsSync } from "node:fs";
import { copyFile, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, notFound } from "../errors.ts";
import type { StoredContent } from "../hosts/stored-contents.ts";
import type { Clock } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { formatCompactTime, parseCompactTime } from "./compact-time.ts";
import type { CompressedFile } from "./compression.ts";

export interface Snapshot {
  readonly id: string;
  /** When the content was the document's, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** What is known of a snapshot besides its id. */
export interface SnapshotMetadata extends CompressedFile {
  /** The contents of attachments that it refers to in stores. */
  readonly contents: readonly StoredContent[];
}

export interface SnapshotStoreOptions {
  /** The data folder. */
  readonly folder: string;
  /** How many each document keeps. */
  readonly keep: number;
  readonly clock: Clock;
}

/** What is older is not being written any more. */
const LEFTOVER_AGE_MS = 24 * 3_600_000;

/** True for what can name a snapshot. */
export const isSnapshotId = (text: string): boolean =>
  /^\d{8}T\d{9}Z-[0-9a-f]{8}$/.test(text) && parseCompactTime(text) !== null;

export class SnapshotStore {
  readonly keep: number;
  readonly #folder: string;
  readonly #clock: Clock;

  constructor({ folder, keep, clock }: SnapshotStoreOptions) {
    this.#folder = folder;
    this.keep = keep;
    this.#clock = clock;
  }

  /** Newest first. */
  async list(uuid: string): Promise<Snapshot[]> {
    const ids = new Set((await this.#names(uuid)).map((name) => name.replace(/\.(json|grist)$/, "")));
    return [...ids]
      .filter(isSnapshotId)
      .toSorted()
      .toReversed()
      .map((id) => ({ id, atMs: parseCompactTime(id) ?? 0 }));
  }

  /** What is known of a snapshot; null when there is none, and while it is not compressed. */
  async find(uuid: string, id: string): Promise<SnapshotMetadata | null> {
    if (!isSnapshotId(id)) return null;
    try {
      return JSON.parse(await readFile(this.#path(uuid, `${id}.json`), "utf8")) as SnapshotMetadata;
    } catch (error) {
      if (isMissing(error)) return null;
      throw new AppError("damaged", "The snapshot is damaged", { cause: error });
    }
  }

  /** The compressed file of a snapshot. */
  fileOf(uuid: string, id: string): string {
    return this.#path(uuid, `${id}.grist.zst`);
  }

  /** Where a content may be put that is about to be replaced; undefined when none are kept. `settle` comes next. */
  newSnapshotPath(uuid: string): string | undefined {
    return this.keep === 0 ? undefined : this.#path(uuid, `${newSnapshotId(this.#clock.now())}.grist`);
  }

  /**
   * Compresses what was put there as it was, and removes the oldest ones beyond the limit.
   * @param olderThanMs what is younger is left to whoever put it there
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
   * Adds a content that was compressed already, unless it is that of the newest snapshot.
   * @param from its file, which is left where it is, and when the content was the document's
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
   * Writes the content of a snapshot to a new file.
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
      const { copyClosedFile } = await import("../hosts/stored-contents.ts");
      copyClosedFile(raw, to);
      await fsyncPath(to);
    } else throw notFound("The document has no such snapshot", "snapshot.not_found");
  }

  /** The contents of attachments in stores that some snapshot refers to. */
  async contents(uuid: string): Promise<readonly StoredContent[]> {
    const all: StoredContent[] = [];
    for (const { id } of await this.list(uuid)) {
      const found = await this.find(uuid, id);
      all.push(...(found?.contents ?? (await contentsOf(this.#path(uuid, `${id}.grist`)))));
    }
    return all;
  }

  /** Answers which of them were there. */
  async remove(uuid: string, ids: readonly string[]): Promise<string[]> {
    const requestedIds = new Set(ids);
    const removedIds = (await this.list(uuid)).map(({ id }) => id).filter((id) => requestedIds.has(id));
    for (const id of removedIds) {
      // What says that it is one goes first.
      for (const ending of ["json", "grist", "grist-wal", "grist-shm", "grist.zst"]) {
        await rm(this.#path(uuid, `${id}.${ending}`), { force: true });
      }
    }
    return removedIds;
  }

  async #compress(uuid: string, id: string, raw: string): Promise<void> {
    const { compressFile } = await import("./compression.ts");
    const { copyClosedFile } = await import("../hosts/stored-contents.ts");
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

  /**
   * Adds a snapshot whose compressed file `write` makes under the name it is given: a whole one, or none.
   */
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

  /** What a crash left in the middle of something. */
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
    // Not with its parents: a document that was deleted meanwhile must not come back as an empty folder.
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

/** Why a snapshot could not be unpacked. */
function toAppError(cause: unknown): unknown {
  const { code } = cause as { code?: unknown };
  if (code === "damaged" || isMissing(cause)) {
    return new AppError("damaged", "The snapshot is damaged and cannot be used", { cause });
  }
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return isFull ? new AppError("storage", "The disk is full; nothing was changed", { cause }) : cause;
}

const newSnapshotId = (atMs: number): string => `${formatCompactTime(atMs)}-${randomHex(4)}`;

/** Of a file as it was replaced, perhaps because it could not be read any more. */
async function contentsOf(raw: string): Promise<readonly StoredContent[]> {
  const { listStoredContentsInFile } = await import("../hosts/stored-contents.ts");
  try {
    return listStoredContentsInFile(raw);
  } catch (error) {
    if (error instanceof AppError && ["damaged", "invalid"].includes(error.code)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
