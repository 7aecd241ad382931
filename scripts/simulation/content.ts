/** One change of a document. */
export type Change =
  | { readonly kind: "add"; readonly token: number; readonly attachment: string | null }
  | { readonly kind: "detach"; readonly token: number; readonly attachment: string }
  /** In home only. */
  | { readonly kind: "createDocument" | "deleteDocument"; readonly token: number; readonly document: string };

/**
 * An immutable content of a document: a change applied to another content. Equal contents are the same object, so that
 * contents of the owner's file, the log, bases and copies are compared by identity.
 */
export class Content {
  readonly parent: Content | null;
  readonly change: Change | null;
  readonly depth: number;
  /** Contents of attachments that rows name. */
  readonly attachments: ReadonlySet<string>;
  /** In home: the documents. */
  readonly documents: ReadonlySet<string>;
  /** The log of PostgreSQL had this content at some time. */
  wasLogged = false;
  /** The client got a positive answer for `change`. */
  isAcknowledged = false;
  #children: Map<number, Content> | null = null;

  private constructor(parent: Content | null, change: Change | null) {
    this.parent = parent;
    this.change = change;
    this.depth = parent ? parent.depth + 1 : 0;
    this.attachments = changedAttachments(parent, change);
    this.documents = changedDocuments(parent, change);
  }

  static empty(): Content {
    const content = new Content(null, null);
    content.wasLogged = true;
    return content;
  }

  with(change: Change): Content {
    this.#children ??= new Map();
    let child = this.#children.get(change.token);
    if (!child) this.#children.set(change.token, (child = new Content(this, change)));
    return child;
  }

  /** True if this content is `other` or has it as an earlier one. */
  includes(other: Content): boolean {
    return this.at(other.depth) === other;
  }

  /** The earlier content of a depth. */
  at(depth: number): Content | null {
    if (this.depth <= depth) return this.depth === depth ? this : null;
    let content = this.parent;
    while (content && content.depth > depth) content = content.parent;
    return content;
  }

  /** The contents after the last one that both have. */
  *since(other: Content): Generator<Content> {
    if (other.includes(this)) return;
    yield this;
    for (let content = this.parent; content && !other.includes(content); content = content.parent) yield content;
  }
}

const NONE: ReadonlySet<string> = new Set();

function changedAttachments(parent: Content | null, change: Change | null): ReadonlySet<string> {
  const before = parent?.attachments ?? NONE;
  if (change?.kind === "add" && change.attachment !== null && !before.has(change.attachment)) {
    return new Set(before).add(change.attachment);
  }
  if (change?.kind !== "detach" || !before.has(change.attachment)) return before;
  const after = new Set(before);
  after.delete(change.attachment);
  return after;
}

function changedDocuments(parent: Content | null, change: Change | null): ReadonlySet<string> {
  const before = parent?.documents ?? NONE;
  if (change?.kind !== "createDocument" && change?.kind !== "deleteDocument") return before;
  const after = new Set(before);
  if (change.kind === "createDocument") after.add(change.document);
  else after.delete(change.document);
  return after;
}

/** Chained checksums without collisions: each distinct input gets a number. */
export class Checksums {
  readonly #known = new Map<string, string>();

  chain(previous: string, row: { epoch: number; seq: number; contentEpoch: string; token: number | null }): string {
    const key = `${previous} ${row.epoch} ${row.seq} ${row.contentEpoch} ${row.token}`;
    let checksum = this.#known.get(key);
    if (checksum === undefined) this.#known.set(key, (checksum = `c${this.#known.size + 1}`));
    return checksum;
  }
}
