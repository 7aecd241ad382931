import { constants } from "node:fs";
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { AppError, notFound } from "../errors.ts";
import { randomHex } from "../lib/ids.ts";
import type { FileContent, ByteRange, LocalFile, ExternalStore } from "./attachment-store.ts";
import { isIdent } from "./attachment-store.ts";

/** Identifies this store in document files. */
export const FOLDER_STORE = "quern-folder";

/**
 * Stores contents as files in a folder inside the document's own, so that trash, copy and deletion of documents need no
 * knowledge of it. Creates the folder on demand; its parent has to exist.
 */
export class FolderStore implements ExternalStore {
  readonly id = FOLDER_STORE;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(ident: string, { path }: LocalFile): Promise<void> {
    const target = this.#pathOf(ident);
    await this.#createFolder();
    await withDiskErrors(async () => {
      // Updates the modification time, so that no sweep deletes the content before it is referenced.
      if ((await this.size(ident)) !== null) return utimes(target, new Date(), new Date());
      await syncToDisk(path);
      await move(path, target);
      await syncToDisk(this.#folder);
    });
  }

  /** Like `put`, for a content of another document: without copying the bytes if the file system allows it. */
  async copyFrom(ident: string, from: FolderStore): Promise<boolean> {
    const source = from.#pathOf(ident);
    if ((await this.size(ident)) !== null) return true;
    if ((await from.size(ident)) === null) return false;
    await this.#createFolder();
    await withDiskErrors(async () => {
      // Contents are immutable, so both documents can link to the same file; each deletes only its own link.
      await link(source, this.#pathOf(ident)).catch(() => copyAtomically(source, this.#pathOf(ident)));
      await syncToDisk(this.#folder);
    });
    return true;
  }

  async size(ident: string): Promise<number | null> {
    if (!isIdent(ident)) return null;
    try {
      return (await stat(this.#pathOf(ident))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async read(ident: string, range?: ByteRange): Promise<FileContent | null> {
    const sizeBytes = await this.size(ident);
    if (sizeBytes === null) return null;
    const file = Bun.file(this.#pathOf(ident));
    return range ? file.slice(range.start, Math.min(range.end, sizeBytes)).stream() : file.stream();
  }

  async remove(ident: string): Promise<void> {
    if (isIdent(ident)) await rm(this.#pathOf(ident), { force: true });
  }

  async sweep(isReferenced: (ident: string) => boolean, before: number): Promise<number> {
    let removed = 0;
    for (const name of await this.#names()) {
      const path = join(this.#folder, name);
      if (isReferenced(identOf(name)) || (await stat(path)).mtimeMs >= before) continue;
      await rm(path, { force: true });
      removed++;
    }
    return removed;
  }

  async clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #createFolder(): Promise<void> {
    try {
      // Not recursive: a document that was deleted concurrently must not come back as an empty folder.
      await mkdir(this.#folder, { mode: 0o700 });
      await syncToDisk(join(this.#folder, ".."));
    } catch (error) {
      if (isMissing(error)) throw notFound("The document was deleted during the request", "document.not_found");
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw storeWriteError(error);
    }
  }

  #pathOf(ident: string): string {
    if (!isIdent(ident)) throw notFound("The attachment's content is not on this server", "attachment.not_found");
    return join(this.#folder, encodeURIComponent(ident));
  }
}

function identOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Renames a file if both paths are on one disk, else copies it. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyAtomically(from, to);
    await unlink(from);
  }
}

/** Copies to a temporary name first, so that the target is either complete or missing. */
async function copyAtomically(from: string, to: string): Promise<void> {
  const partialPath = `${to}.${randomHex(4)}.part`;
  try {
    await copyFile(from, partialPath, constants.COPYFILE_FICLONE);
    await syncToDisk(partialPath);
    await rename(partialPath, to);
  } finally {
    await rm(partialPath, { force: true });
  }
}

/** Syncs a file or folder: only then do its bytes, or new names in it, survive a power cut. */
async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function withDiskErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof AppError ? error : storeWriteError(error);
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

const storeWriteError = (cause: unknown): AppError =>
  new AppError("storage", "The attachment cannot be stored: the disk is full or read-only", { cause });
