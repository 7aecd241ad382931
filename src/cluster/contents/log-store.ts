import { notFound } from "../../errors.ts";
import type { BlobName, BlobRow } from "../postgres/statements/blobs.ts";
import type { ByteRange, ContentBytes, LocalFile } from "./content-types.ts";

/** The contents of all documents; see `LogContents`. */
export interface StoredContents<Id extends string> {
  nameOf(doc: string, ident: string, id: Id): BlobName;
  put(name: BlobName, file: LocalFile): Promise<void>;
  find(name: BlobName): Promise<BlobRow | null>;
  read(name: BlobName, range?: ByteRange): Promise<ContentBytes | null>;
  list(doc: string): Promise<readonly BlobRow[]>;
  markRemoved(doc: string, hashes: readonly string[]): Promise<void>;
  deleteLeftoverObjects(doc: string, before: number): Promise<void>;
}

export interface LogStoreOptions<Id extends string> {
  readonly doc: string;
  readonly id: Id;
  readonly isContentName: (name: string) => boolean;
}

/**
 * The contents of one document in the log. Removed ones stay readable until the retention has passed, for restoring the
 * document as it was.
 */
export class LogStore<Id extends string> {
  readonly id: Id;
  readonly #contents: StoredContents<Id>;
  readonly #doc: string;
  readonly #isContentName: (name: string) => boolean;

  constructor(contents: StoredContents<Id>, { doc, id, isContentName }: LogStoreOptions<Id>) {
    this.id = id;
    this.#contents = contents;
    this.#doc = doc;
    this.#isContentName = isContentName;
  }

  async put(ident: string, file: LocalFile): Promise<void> {
    if (!this.#isContentName(ident)) {
      throw notFound("The attachment's content is not on this server", "attachment.not_found");
    }
    await this.#contents.put(this.#nameOf(ident), file);
  }

  async size(ident: string): Promise<number | null> {
    if (!this.#isContentName(ident)) return null;
    return (await this.#contents.find(this.#nameOf(ident)))?.sizeBytes ?? null;
  }

  async read(ident: string, range?: ByteRange): Promise<ContentBytes | null> {
    return this.#isContentName(ident) ? this.#contents.read(this.#nameOf(ident), range) : null;
  }

  async remove(ident: string): Promise<void> {
    if ((await this.size(ident)) !== null) await this.#contents.markRemoved(this.#doc, [this.#nameOf(ident).hash]);
  }

  async sweep(isReferenced: (ident: string) => boolean, before: number): Promise<number> {
    const minAgeMs = Date.now() - before;
    const { hash: prefix } = this.#nameOf("");
    const unreferenced: string[] = [];
    for (const { hash, storedForMs, removedForMs } of await this.#contents.list(this.#doc)) {
      const ident = hash.slice(prefix.length);
      const isMine = this.#isContentName(ident) && this.#nameOf(ident).hash === hash;
      if (isMine && removedForMs === null && storedForMs > minAgeMs && !isReferenced(ident)) unreferenced.push(hash);
    }
    if (unreferenced.length > 0) await this.#contents.markRemoved(this.#doc, unreferenced);
    await this.#contents.deleteLeftoverObjects(this.#doc, before);
    return unreferenced.length;
  }

  /** Changes nothing: the contents of a deleted document are deleted with its log. */
  async clear(): Promise<void> {}

  #nameOf(ident: string): BlobName {
    return this.#contents.nameOf(this.#doc, ident, this.id);
  }
}
