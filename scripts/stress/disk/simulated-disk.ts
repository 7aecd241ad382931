/** A model of a disk: files and folders with what is on it for certain, and what a power cut may take. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Random } from "../random.ts";
import type { Change } from "./changes.ts";
import { SimulatedFile } from "./simulated-file.ts";

interface Folder {
  readonly kind: "folder";
  /** Names that are on the disk for certain. */
  readonly durable: Map<string, Entry>;
  /** Names as programs see them. */
  readonly now: Map<string, Entry>;
}

type Entry = SimulatedFile | Folder;

/** A name comes, goes or moves. */
interface NameChange {
  readonly number: number;
  readonly gone?: { readonly folder: Folder; readonly name: string };
  readonly come?: { readonly folder: Folder; readonly name: string; readonly entry: Entry };
}

/** Names whose content is in the memory of processes and never meant to outlive them. */
const isShared = (name: string): boolean => name.endsWith("-shm");

export class SimulatedDisk {
  readonly #root: string;
  readonly #top: Folder = newFolder();
  readonly #inodes = new Map<number, Entry>();
  #nameChanges: NameChange[] = [];

  /** A disk that holds for certain what is below `root` now; it is kept in memory. */
  constructor(root: string) {
    this.#root = root;
    this.#load(root, this.#top);
  }

  apply(change: Change): void {
    switch (change.kind) {
      case "write":
      case "resize": {
        const file = this.#inodes.get(change.inode);
        if (file?.kind === "file") file.change(change);
        return;
      }
      case "sync":
        this.#sync(change);
        return;
      case "create":
      case "mkdir": {
        const entry = change.kind === "mkdir" ? newFolder() : new SimulatedFile(new Uint8Array());
        this.#inodes.set(change.inode, entry);
        this.#name({ number: change.number, come: { ...this.#locate(change.path), entry } });
        return;
      }
      case "unlink":
      case "rmdir":
        this.#name({ number: change.number, gone: this.#locate(change.path) });
        return;
      case "link":
      case "rename": {
        const from = this.#locate(change.path);
        const entry = from.folder.now.get(from.name);
        if (!entry) throw new Error(`${change.path} is not known`);
        const gone = change.kind === "rename" ? { gone: from } : {};
        this.#name({ number: change.number, ...gone, come: { ...this.#locate(change.to), entry } });
      }
    }
  }

  /**
   * Writes to `folder`, which does not exist yet, what may be found after a power cut now. Names that are not certain are
   * lost or not each by itself, or from some point on, as file systems with a journal lose them.
   */
  writeSurvivingState(folder: string, random: Random): void {
    const names = new Map<Folder, Map<string, Entry>>();
    const of = (folder: Folder) => {
      const known = names.get(folder) ?? new Map(folder.durable);
      names.set(folder, known);
      return known;
    };
    const kept = random.pick([0, 0.5, 1]);
    const until = random.chance(0.5) ? random.below(this.#nameChanges.length + 1) : undefined;
    for (const [index, { gone, come }] of this.#nameChanges.entries()) {
      if (until === undefined ? !random.chance(kept) : index >= until) continue;
      if (gone) of(gone.folder).delete(gone.name);
      if (come) of(come.folder).set(come.name, come.entry);
    }
    const write = (path: string, folder: Folder) => {
      mkdirSync(path, { recursive: true });
      for (const [name, entry] of of(folder)) {
        const at = join(path, name);
        if (entry.kind === "folder") write(at, entry);
        else if (!isShared(name)) writeFileSync(at, entry.survivingContent(random));
        else if (random.chance(0.5)) writeFileSync(at, garbage(random));
      }
    };
    write(folder, this.#top);
  }

  #load(path: string, folder: Folder): void {
    this.#inodes.set(lstatSync(path).ino, folder);
    for (const name of readdirSync(path)) {
      const at = join(path, name);
      const status = lstatSync(at);
      const entry = status.isDirectory() ? newFolder() : new SimulatedFile(readFileSync(at));
      if (entry.kind === "folder") this.#load(at, entry);
      else this.#inodes.set(status.ino, entry);
      folder.durable.set(name, entry);
      folder.now.set(name, entry);
    }
  }

  #sync({ inode, before }: { inode: number; before: number }): void {
    const entry = this.#inodes.get(inode);
    if (entry?.kind === "file") entry.sync(before);
    if (entry?.kind !== "folder") return;
    const done = this.#nameChanges.filter(
      ({ number, gone, come }) => number < before && (gone?.folder === entry || come?.folder === entry),
    );
    // What is settled about a name here is settled in the other folder as well, and with it everything earlier there.
    for (const naming of done) {
      const { gone, come } = naming;
      if (gone) gone.folder.durable.delete(gone.name);
      if (come) come.folder.durable.set(come.name, come.entry);
      this.#nameChanges = this.#nameChanges.filter(
        (other) => other !== naming && !(other.number < naming.number && affectsSameName(other, naming)),
      );
    }
  }

  #name(naming: NameChange): void {
    const { gone, come } = naming;
    if (gone) gone.folder.now.delete(gone.name);
    if (come) come.folder.now.set(come.name, come.entry);
    this.#nameChanges.push(naming);
  }

  #locate(path: string): { folder: Folder; name: string } {
    return { folder: this.#folderAt(dirname(path)), name: basename(path) };
  }

  #folderAt(path: string): Folder {
    if (path === this.#root) return this.#top;
    const found = this.#folderAt(dirname(path)).now.get(basename(path));
    if (found?.kind !== "folder") throw new Error(`${path} is no folder that is known`);
    return found;
  }
}

const newFolder = (): Folder => ({ kind: "folder", durable: new Map(), now: new Map() });

function affectsSameName(a: NameChange, b: NameChange): boolean {
  const places = (naming: NameChange) => [naming.gone, naming.come].filter((place) => place !== undefined);
  return places(a).some((x) => places(b).some((y) => x.folder === y.folder && x.name === y.name));
}

const garbage = (random: Random): Uint8Array => Uint8Array.from({ length: 32_768 }, () => random.below(256));
