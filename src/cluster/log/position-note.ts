import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { syncToDisk } from "../../lib/sync-to-disk.ts";
import type { Acknowledged, DatabaseIdentity } from "../protocol/log-types.ts";

/** What a folder remembers of its copy of a document, beside the file. */
export interface PositionNote {
  /** The boot in which the file was opened last: `/proc/sys/kernel/random/boot_id`. */
  readonly bootId: string;
  /** True while the file is closed and was synced. */
  readonly isClean: boolean;
  /** The highest position that was acknowledged by PostgreSQL; null before the first. */
  readonly acknowledged: Acknowledged | null;
  /** The database that acknowledged it. */
  readonly identity: DatabaseIdentity;
  /** Tells the file from one that was copied to its place; see `fileMark`. */
  readonly file: string | null;
}

/** A document's file, and the note beside it. */
export interface NotedFile {
  readonly path: string;
  readonly notePath: string;
}

const NOTE = z.object({
  bootId: z.string(),
  isClean: z.boolean(),
  acknowledged: z.object({ epoch: z.number(), seq: z.number(), checksum: z.string() }).nullable(),
  identity: z.object({ systemIdentifier: z.string(), timeline: z.number(), historyId: z.string() }),
  file: z.string().nullable(),
});

/** Each note replaces the previous one in a single write of this size, which no crash of the process can split. */
const NOTE_BYTES = 512;

/**
 * Identifies a file: by its inode while it is open, else also by its size and time. A copy of the file, such as one from a
 * backup, has another mark: it may have been made in the middle of a write. Null when the file is missing.
 */
export function fileMark(path: string, { isClean }: { readonly isClean: boolean }): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats) return null;
  return isClean ? `${stats.ino}-${stats.size}-${stats.mtimeNs}` : String(stats.ino);
}

/** Reads the note of a document; null when there is none, or a power failure damaged it. */
export function readPositionNote(path: string): PositionNote | null {
  try {
    return NOTE.safeParse(JSON.parse(readFileSync(path, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Writes the notes of an owned document. Only the first one is synced, before the first commit: after a power failure a
 * former note, that the file was closed cleanly, would declare a torn file intact. The later ones may be too old after a
 * reboot, which `decideOpening` allows for.
 */
export class PositionNoteWriter {
  readonly #file: NotedFile;
  #note: Omit<PositionNote, "file">;

  /** Marks the document as open. */
  constructor({ path, notePath }: NotedFile, note: Omit<PositionNote, "isClean" | "file">) {
    this.#file = { path, notePath };
    this.#note = { ...note, isClean: false };
    this.#write({ isSynced: true });
  }

  acknowledge(acknowledged: Acknowledged): void {
    this.#note = { ...this.#note, acknowledged };
    this.#write();
  }

  /** The file is about to be changed other than by commits: if the process crashes before `acknowledge`, it is not intact. */
  markChanging(): void {
    const { bootId } = this.#note;
    this.#note = { ...this.#note, bootId: "" };
    this.#write();
    this.#note = { ...this.#note, bootId };
  }

  /** The acknowledged position is in this database. Written with the next note. */
  setIdentity({ systemIdentifier, timeline, historyId }: DatabaseIdentity): void {
    this.#note = { ...this.#note, identity: { systemIdentifier, timeline, historyId } };
  }

  /** Call when the file is closed and synced. */
  markClean(): void {
    this.#note = { ...this.#note, isClean: true };
    this.#write();
  }

  #write({ isSynced } = { isSynced: false }): void {
    // Opened each time: a server may own more documents than it may open files. Not truncated: the former note stays until
    // the write that replaces it.
    const { path, notePath } = this.#file;
    const note: PositionNote = { ...this.#note, file: fileMark(path, this.#note) };
    const file = openSync(notePath, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      writeSync(file, JSON.stringify(note).padEnd(NOTE_BYTES), 0, "utf8");
      if (isSynced) fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}

/** Removes the note of a document before its file is changed other than by commits, or removed. Durable, idempotent. */
export function removePositionNote(path: string): void {
  if (!existsSync(path)) return;
  rmSync(path);
  syncToDisk(dirname(path));
}
