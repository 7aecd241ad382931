import type { Owner } from "../postgres/statements/ownership.ts";

export interface OwnersOptions {
  /** Reads the owner of a document in PostgreSQL. */
  readonly find: (doc: string) => Promise<Owner | null>;
  /** The id of this node; null while it has no lease. */
  readonly nodeId: () => string | null;
}

/** More documents than a cluster has in use at a time; beyond it, the oldest entries are looked up again. */
const MAX_ENTRIES = 100_000;

/**
 * The owners of documents, cached. Only other living nodes are cached: whether this node owns a document is known without a
 * look-up, and a document without an owner gets one. An entry is removed when a notification says that the owner has
 * changed, when the node does not own the document, and when it cannot be reached.
 */
export class Owners {
  readonly #options: OwnersOptions;
  readonly #cache = new Map<string, Owner>();
  readonly #lookUps = new Map<string, Promise<Owner | null>>();

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  /** Returns the other living node that owns a document; null when this node or no living one does. */
  other(doc: string): Owner | null | Promise<Owner | null> {
    return this.#cache.get(doc) ?? this.#shared(doc);
  }

  /** As `other`, without the cache. */
  lookUp(doc: string): Promise<Owner | null> {
    this.forget(doc);
    return this.#shared(doc);
  }

  /** This node has handed a document over. */
  setOwner(doc: string, owner: Owner): void {
    this.forget(doc);
    this.#add(doc, owner);
  }

  /** The owner of a document may have changed. */
  forget(doc: string): void {
    this.#cache.delete(doc);
    // A look-up that has begun may return the former owner.
    this.#lookUps.delete(doc);
  }

  /** Notifications may have been missed. */
  forgetAll(): void {
    this.#cache.clear();
    this.#lookUps.clear();
  }

  #shared(doc: string): Promise<Owner | null> {
    const running = this.#lookUps.get(doc);
    if (running) return running;
    const lookUp = this.#find(doc);
    this.#lookUps.set(doc, lookUp);
    const finish = (owner: Owner | null) => {
      if (this.#lookUps.get(doc) !== lookUp) return;
      this.#lookUps.delete(doc);
      if (owner) this.#add(doc, owner);
    };
    lookUp.then(finish, () => finish(null));
    return lookUp;
  }

  async #find(doc: string): Promise<Owner | null> {
    const owner = await this.#options.find(doc);
    return owner?.isAlive && owner.node !== this.#options.nodeId() ? owner : null;
  }

  #add(doc: string, owner: Owner): void {
    if (this.#cache.size >= MAX_ENTRIES) {
      const oldest = this.#cache.keys().next();
      if (!oldest.done) this.#cache.delete(oldest.value);
    }
    this.#cache.set(doc, owner);
  }
}
