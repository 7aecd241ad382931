import { createReadStream, existsSync } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { AppError, invalid } from "../errors.ts";
import { randomHex } from "../lib/ids.ts";
import { acquireLock } from "../sqlite/lock.ts";
import type { BackupTarget, StoredFile } from "./backup-target.ts";
import { fsyncPath } from "./compression.ts";

/** Marks a folder as a backup target, so that no other folder is filled with backups by mistake. */
const MARKER_FILE = "quern-backups";
/** Files that file systems create in the top folder of a disk. */
const IGNORED_NAMES = new Set(["lost+found", ".DS_Store"]);

/** Stores backups in a folder, local or mounted. */
export class FolderTarget implements BackupTarget {
  readonly label: string;
  readonly temporaryFolder: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.label = folder;
    this.#folder = folder;
    this.temporaryFolder = join(folder, "tmp");
  }

  async prepare(): Promise<Disposable> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const names = await readdir(this.#folder);
      if (!names.includes(MARKER_FILE)) {
        if (names.some((name) => !IGNORED_NAMES.has(name)))
          throw invalid(`${this.label} contains other files than backups`);
        await writeFile(join(this.#folder, MARKER_FILE), "Backups of Quern. See `quern restore --help`.\n", {
          mode: 0o600,
        });
      }
      const lock = this.#lock();
      // Remove temporary files of an interrupted program; the lock guarantees that no other one is running.
      await rm(this.temporaryFolder, { recursive: true, force: true });
      await mkdir(this.temporaryFolder, { mode: 0o700 });
      return lock;
    } catch (error) {
      throw this.#toAppError(error);
    }
  }

  async put(key: string, file: string): Promise<void> {
    const path = join(this.#folder, key);
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if (dirname(file) === this.temporaryFolder) {
        await fsyncPath(file);
        await rename(file, path);
      } else {
        const partialFile = join(this.temporaryFolder, `${randomHex(8)}.part`);
        await copyFile(file, partialFile);
        await fsyncPath(partialFile);
        await rename(partialFile, path);
      }
      await fsyncPath(dirname(path));
    } catch (error) {
      throw this.#toAppError(error);
    }
  }

  async read(key: string): Promise<Readable | null> {
    const path = join(this.#folder, key);
    return existsSync(path) ? createReadStream(path) : null;
  }

  async *list(prefix: string): AsyncGenerator<StoredFile> {
    let names: string[];
    try {
      names = await readdir(join(this.#folder, prefix), { recursive: true });
    } catch (error) {
      if (codeOf(error) === "ENOENT") return;
      throw this.#toAppError(error);
    }
    for (const name of names) {
      const stats = await stat(join(this.#folder, prefix, name)).catch(() => null);
      if (stats?.isFile()) yield { key: prefix + name, sizeBytes: stats.size, storedAtMs: stats.mtimeMs };
    }
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.#folder, key), { force: true });
  }

  #lock(): Disposable {
    try {
      return acquireLock(join(this.#folder, "lock"));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
      throw new AppError("conflict", `another backup is being made in ${this.label}`);
    }
  }

  #toAppError(error: unknown): unknown {
    if (error instanceof AppError) return error;
    const isFull = ["ENOSPC", "EDQUOT"].includes(codeOf(error));
    const reason = isFull ? "its disk is full" : (error as Error).message;
    return new AppError("storage", `the backup cannot be written to ${this.label}: ${reason}`, { cause: error });
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);
