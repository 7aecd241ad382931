import type { FolderPlace } from "../../src/cluster/protocol/acquisition.ts";
import type { Acknowledged, ContentCount, DatabaseIdentity } from "../../src/cluster/protocol/log-types.ts";
import type { LocalFile } from "../../src/cluster/protocol/opening.ts";
import type { Random } from "../stress/random.ts";
import { Content } from "./content.ts";

/** A document's file: its commits, as SQLite recovers them. */
export interface DocumentFile {
  readonly count: ContentCount;
  readonly content: Content;
}

/** `log-state.json`: written and synced when a file is opened and when it was closed cleanly. */
interface OpeningNote {
  readonly bootId: string;
  readonly isClean: boolean;
  readonly identity: DatabaseIdentity;
}

/** A file of the folder: what a process sees, and what survives a power cut. */
class Stored<Value> {
  current: Value | null = null;
  synced: Value | null = null;

  write(value: Value | null): void {
    this.current = value;
  }

  sync(): void {
    this.synced = this.current;
  }
}

class DocumentFolder {
  /** With `synchronous=OFF`: synced only when it is closed cleanly. */
  readonly file = new Stored<DocumentFile>();
  readonly note = new Stored<OpeningNote>();
  /** Never synced. */
  readonly acknowledged = new Stored<Acknowledged & { readonly identity: DatabaseIdentity }>();
}

/** What a power cut leaves of a file with unsynced pages: anything. */
const TORN = Content.empty().with({ kind: "add", token: -1, attachment: null });

/** The data folder of a node, on a machine that can lose its power. */
export class Folder {
  readonly #random: Random;
  readonly #documents = new Map<string, DocumentFolder>();
  bootId: string;
  readonly lockFile: string;
  /** The node id of the last process, and where it ran. */
  node: { readonly id: string; readonly place: FolderPlace } | null = null;
  /** Files under `diverged/`. Files that were set aside are deleted some time, so they do not count. */
  readonly diverged: { readonly document: string; readonly content: Content }[] = [];

  constructor(random: Random, names: { readonly bootId: string; readonly lockFile: string }) {
    this.#random = random;
    this.bootId = names.bootId;
    this.lockFile = names.lockFile;
  }

  get place(): FolderPlace {
    return { bootId: this.bootId, lockFile: this.lockFile };
  }

  read(document: string): DocumentFile | null {
    return this.#documents.get(document)?.file.current ?? null;
  }

  /** The file as `decideOpening` sees it. */
  describe(document: string): LocalFile | null {
    const one = this.#documents.get(document);
    const file = one?.file.current;
    if (!one || !file) return null;
    const note = one.note.current;
    return {
      count: file.count,
      isIntact: note !== null && (note.isClean || note.bootId === this.bootId),
      acknowledged: one.acknowledged.current,
      identity: one.acknowledged.current?.identity ?? note?.identity ?? null,
    };
  }

  write(document: string, file: DocumentFile): void {
    this.#documentFolder(document).file.write(file);
  }

  noteOpened(document: string, identity: DatabaseIdentity, isSynced: boolean): void {
    const { note } = this.#documentFolder(document);
    note.write({ bootId: this.bootId, isClean: false, identity });
    if (isSynced) note.sync();
  }

  noteAcknowledged(document: string, acknowledged: Acknowledged, identity: DatabaseIdentity): void {
    this.#documentFolder(document).acknowledged.write({ ...acknowledged, identity });
  }

  noteClosed(document: string, identity: DatabaseIdentity): void {
    const one = this.#documentFolder(document);
    one.file.sync();
    one.acknowledged.sync();
    one.note.write({ bootId: this.bootId, isClean: true, identity });
    one.note.sync();
  }

  /** Removes the file and its notes, and returns the content. */
  remove(document: string): Content | null {
    const content = this.read(document)?.content ?? null;
    this.#documents.delete(document);
    return content;
  }

  /** A power cut: unsynced changes survive in any mixture. */
  cutPower(bootId: string): void {
    this.bootId = bootId;
    for (const { file, note, acknowledged } of this.#documents.values()) {
      if (file.current !== file.synced) {
        const { current, synced } = file;
        const kept = this.#random.pick(["old", "new", "torn"] as const);
        file.current = kept === "old" || !current ? synced : kept === "new" ? current : { ...current, content: TORN };
      }
      if (this.#random.chance(0.5)) note.current = note.synced;
      if (this.#random.chance(0.5)) acknowledged.current = acknowledged.synced;
      for (const stored of [file, note, acknowledged] as const) stored.sync();
    }
  }

  /** Copies the folder while its process may be running; the lock file is another one. */
  copy(lockFile: string): Folder {
    const copy = new Folder(this.#random, { bootId: this.bootId, lockFile });
    copy.node = this.node;
    for (const [document, one] of this.#documents) {
      const to = copy.#documentFolder(document);
      for (const name of ["file", "note", "acknowledged"] as const) {
        to[name].current = one[name].current as never;
        to[name].sync();
      }
    }
    return copy;
  }

  #documentFolder(document: string): DocumentFolder {
    let one = this.#documents.get(document);
    if (!one) this.#documents.set(document, (one = new DocumentFolder()));
    return one;
  }
}
