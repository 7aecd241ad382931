/** A model of a disk: files and folders with their durable state, and the changes that a power cut may lose. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Random } from "../random.ts";
import type { Change } from "./changes.ts";
import { SimulatedFile } from "./simulated-file.ts";

interface Folder {
  readonly kind: "folder";
  /** Durable names. */
  readonly durable: Map<string, Entry>;
  /** Names as programs see them. */
  readonly now: Map<string, Entry>;
}

type Entry = SimulatedFile | Folder;

/** A name is created, removed or moved. */
interface NameChange {
  readonly number: number;
  readonly removed?: { readonly folder: Folder; readonly name: string };
  readonly added?: { readonly folder: Folder; readonly name: string; readonly entry: Entry };
}

/** Names whose content is shared memory of processes and need not survive them. */
const isShared = (name: string): boolean => name.endsWith("-shm");

export class SimulatedDisk {
  readonly #root: string;
  readonly #top: Folder = newFolder();
  readonly #inodes = new Map<number, Entry>();
  #nameChanges: NameChange[] = [];

  /** Creates a disk in memory whose durable state is the current content of `root`. */
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
        this.#name({ number: change.number, added: { ...this.#locate(change.path), entry } });
        return;
      }
      case "unlink":
      case "rmdir":
        this.#name({ number: change.number, removed: this.#locate(change.path) });
        return;
      case "link":
      case "rename": {
        const from = this.#locate(change.path);
        const entry = from.folder.now.get(from.name);
        if (!entry) throw new Error(`unknown path ${change.path}`);
        const removed = change.kind === "rename" ? { removed: from } : {};
        this.#name({ number: change.number, ...removed, added: { ...this.#locate(change.to), entry } });
      }
    }
  }

  /**
   * Writes a possible state after a power cut to `folder`, which must not exist yet. Names that are not durable are
   * lost independently, or from some point on, as journaling file systems lose them.
   */
  writeSurvivingState(folder: string, random: Random): void {
    const names = new Map<Folder, Map<string, Entry>>();
    const of = (folder: Folder) => {
      const known = names.get(folder) ?? new Map(folder.durable);
      names.set(folder, known);
      return known;
    };
    const survivalRate = random.pick([0, 0.5, 1]);
    const until = random.chance(0.5) ? random.below(this.#nameChanges.length + 1) : undefined;
    for (const [index, { removed, added }] of this.#nameChanges.entries()) {
      if (until === undefined ? !random.chance(survivalRate) : index >= until) continue;
      if (removed) of(removed.folder).delete(removed.name);
      if (added) of(added.folder).set(added.name, added.entry);
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
      ({ number, removed, added }) => number < before && (removed?.folder === entry || added?.folder === entry),
    );
    // A rename that is durable here is durable in the other folder as well, and so are all earlier changes there.
    for (const nameChange of done) {
      const { removed, added } = nameChange;
      if (removed) removed.folder.durable.delete(removed.name);
      if (added) added.folder.durable.set(added.name, added.entry);
      this.#nameChanges = this.#nameChanges.filter(
        (other) => other !== nameChange && !(other.number < nameChange.number && affectsSameName(other, nameChange)),
      );
    }
  }

  #name(nameChange: NameChange): void {
    const { removed, added } = nameChange;
    if (removed) removed.folder.now.delete(removed.name);
    if (added) added.folder.now.set(added.name, added.entry);
    this.#nameChanges.push(nameChange);
  }

  #locate(path: string): { folder: Folder; name: string } {
    return { folder: this.#folderAt(dirname(path)), name: basename(path) };
  }

  #folderAt(path: string): Folder {
    if (path === this.#root) return this.#top;
    const found = this.#folderAt(dirname(path)).now.get(basename(path));
    if (found?.kind !== "folder") throw new Error(`${path} is not a known folder`);
    return found;
  }
}

const newFolder = (): Folder => ({ kind: "folder", durable: new Map(), now: new Map() });

function affectsSameName(a: NameChange, b: NameChange): boolean {
  const locations = (nameChange: NameChange) =>
    [nameChange.removed, nameChange.added].filter((location) => location !== undefined);
  return locations(a).some((x) => locations(b).some((y) => x.folder === y.folder && x.name === y.name));
}

const garbage = (random: Random): Uint8Array => Uint8Array.from({ length: 32_768 }, () => random.below(256));
