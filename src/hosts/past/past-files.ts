import { rmSync } from "node:fs";
import { sha256Hex } from "../../lib/ids.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import type { State } from "../../doc/history/states.ts";
import { pastFile } from "../files/document-files.ts";

/** A state of a document, as a file is cached for it. */
export interface PastSubject {
  readonly uuid: string;
  readonly state: State;
  /** The version of the document, where the same state can have different contents. */
  readonly version?: string | undefined;
}

export interface PastFilesOptions {
  /** The data folder. */
  readonly folder: string;
  /** How long an unused file is kept. */
  readonly keepMs: number;
  /** Closes a file in all readers. */
  readonly closeFile: (name: string) => Promise<void>;
}

/** Maximum number of cached files per document. */
const MAX_FILES = 2;

interface Entry {
  readonly uuid: string;
  readonly name: string;
  readonly ready: Promise<void>;
  users: number;
  /** Deleted after its last use. */
  isExcess: boolean;
  cancelExpiry: () => void;
}

/**
 * Caches files with documents as they were at a state, in the folder of temporary files. Requests for the same state share
 * one file; those of one document are written one after the other.
 */
export class PastFiles {
  readonly #options: PastFilesOptions;
  /** By name, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  /** Files that readers still close. */
  readonly #closing = new Map<string, Promise<void>>();
  /** The last file that is being written, by document. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: PastFilesOptions) {
    this.#options = options;
  }

  /**
   * Calls `use` with the name of the file of a state, which `write` writes to a path if it is not cached.
   * @throws as `write` and `use`
   */
  async use<T>(
    subject: PastSubject,
    write: (path: string) => Promise<void>,
    use: (name: string) => Promise<T>,
  ): Promise<T> {
    const entry = this.#acquire(subject, write);
    try {
      await entry.ready;
      return await use(entry.name);
    } finally {
      this.#release(entry);
    }
  }

  /** Deletes the files of a document, as soon as they are not in use. */
  forget(uuid: string): void {
    for (const entry of this.#entries.values()) if (entry.uuid === uuid) this.#discard(entry);
  }

  /** Deletes all files that are not in use. */
  discardUnused(): void {
    for (const entry of this.#entries.values()) if (entry.users === 0) this.#delete(entry);
  }

  /** Deletes all files. */
  close(): void {
    for (const entry of this.#entries.values()) this.#delete(entry);
  }

  #acquire(subject: PastSubject, write: (path: string) => Promise<void>): Entry {
    const name = nameOf(subject);
    const entry = this.#entries.get(name) ?? this.#create(subject.uuid, name, write);
    entry.users++;
    entry.isExcess = false;
    entry.cancelExpiry();
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    this.#discardExcess(subject.uuid);
    return entry;
  }

  #create(uuid: string, name: string, write: (path: string) => Promise<void>): Entry {
    const before = this.#writing.get(uuid);
    const writeNext = async (): Promise<void> => {
      await before?.catch(() => {});
      await this.#closing.get(name);
      await write(pastFile(this.#options.folder, name));
    };
    const ready = writeNext();
    const entry: Entry = { uuid, name, ready, users: 0, isExcess: false, cancelExpiry: () => {} };
    this.#writing.set(uuid, ready);
    ready
      .catch(() => this.#entries.get(name) === entry && this.#entries.delete(name))
      .finally(() => this.#writing.get(uuid) === ready && this.#writing.delete(uuid))
      .catch(() => {});
    return entry;
  }

  #release(entry: Entry): void {
    entry.users--;
    if (entry.users > 0 || this.#entries.get(entry.name) !== entry) return;
    if (entry.isExcess) this.#delete(entry);
    else entry.cancelExpiry = systemTimers.after(this.#options.keepMs, () => this.#discard(entry));
  }

  #discardExcess(uuid: string): void {
    const own = [...this.#entries.values()].filter((entry) => entry.uuid === uuid && !entry.isExcess);
    for (const entry of own.slice(0, Math.max(0, own.length - MAX_FILES))) this.#discard(entry);
  }

  #discard(entry: Entry): void {
    if (entry.users > 0) entry.isExcess = true;
    else this.#delete(entry);
  }

  /** Readers and SQL processes that have the file open keep its content until they close it. */
  #delete(entry: Entry): void {
    const { name } = entry;
    entry.cancelExpiry();
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
    const path = pastFile(this.#options.folder, name);
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    const closing = this.#options
      .closeFile(name)
      .catch(() => {})
      .finally(() => this.#closing.get(name) === closing && this.#closing.delete(name));
    this.#closing.set(name, closing);
  }
}

/** The same for the same state, so that ETags stay valid when the file is written again; see `temporaryName`. */
const nameOf = ({ uuid, state, version = "" }: PastSubject): string =>
  `past-${process.pid}-${sha256Hex([uuid, state.n, state.h, version].join("\n")).slice(0, 24)}`;
