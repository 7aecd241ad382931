/** Which contents of attachments an owner may delete, and when a content may be named by a commit. */

export type AttachmentEvent =
  /** A request needs the content to be durable before its commit names it. */
  | { readonly kind: "needed"; readonly hash: string }
  /** The content is durable under its name: uploaded, or found. */
  | { readonly kind: "stored"; readonly hash: string }
  /** The upload failed or its outcome is unknown. */
  | { readonly kind: "storeFailed"; readonly hash: string }
  /** The request that needed the content is over: its commit is in the log or did not happen. */
  | { readonly kind: "used"; readonly hash: string }
  /** The sweep found contents whose last reference was removed in commit `removedSeq`, `removedForMs` ago. */
  | { readonly kind: "unreferenced"; readonly hash: string; readonly removedSeq: number; readonly removedForMs: number }
  /** The fenced deletion returned its row. */
  | { readonly kind: "deleted"; readonly hash: string }
  /** The fenced deletion had any other result. */
  | { readonly kind: "deleteUnknown"; readonly hash: string };

export type AttachmentEffect =
  /** Upload the content unless the store has it, then report `stored` or `storeFailed`. */
  | { readonly kind: "store"; readonly hash: string }
  /** The content is durable: commits may name it. */
  | { readonly kind: "ready"; readonly hash: string }
  /** Answer 503: the content cannot be stored now. */
  | { readonly kind: "failed"; readonly hash: string }
  /**
   * Delete in one statement that requires our epoch and node and a head of at least `removedSeq` in `doc_owner`, with its
   * row locked FOR SHARE. A failover may have lost the removal.
   */
  | { readonly kind: "deleteContent"; readonly hash: string; readonly removedSeq: number }
  /**
   * Answer 503 and reacquire the document under a new epoch: a deletion with an unknown outcome may still be executed
   * under this one, after the content was stored again.
   */
  | { readonly kind: "renewEpoch"; readonly hash: string };

/** An `OwnedDocument`. */
export interface OwnershipState {
  /** The last commit that is in the log. */
  readonly acknowledged: { readonly seq: number };
  /** False while a failover may have lost the acquisition. */
  readonly mayRead: boolean;
}

interface Content {
  state: "idle" | "storing" | "deleting" | "uncertain";
  /** Requests between `needed` and `used`. */
  users: number;
}

/** The contents of one owned document under one epoch. */
export class AttachmentContents {
  readonly #contents = new Map<string, Content>();
  readonly #retentionMs: number;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  /** @param document The state of the document when the event is handled. */
  handle(event: AttachmentEvent, document: OwnershipState): AttachmentEffect[] {
    const { hash } = event;
    const content = this.#contents.get(hash) ?? { state: "idle", users: 0 };
    this.#contents.set(hash, content);
    const effects = this.#apply(content, event, document);
    if (content.state === "idle" && content.users === 0) this.#contents.delete(hash);
    return effects;
  }

  #apply(content: Content, event: AttachmentEvent, document: OwnershipState): AttachmentEffect[] {
    const { hash } = event;
    switch (event.kind) {
      case "needed":
        if (content.state === "uncertain") return [{ kind: "renewEpoch", hash }];
        content.users++;
        return content.state === "idle" ? this.#store(content, hash) : [];
      case "stored":
        content.state = "idle";
        return [{ kind: "ready", hash }];
      case "storeFailed":
        content.state = "idle";
        content.users = 0;
        return [{ kind: "failed", hash }];
      case "used":
        content.users = Math.max(0, content.users - 1);
        return [];
      case "unreferenced":
        return this.#unreferenced(content, event, document);
      case "deleted":
        content.state = "idle";
        return content.users > 0 ? this.#store(content, hash) : [];
      case "deleteUnknown":
        content.state = "uncertain";
    }
    if (content.users === 0) return [];
    content.users = 0;
    return [{ kind: "renewEpoch", hash }];
  }

  #store(content: Content, hash: string): AttachmentEffect[] {
    content.state = "storing";
    return [{ kind: "store", hash }];
  }

  #unreferenced(
    content: Content,
    event: AttachmentEvent & { readonly kind: "unreferenced" },
    { acknowledged, mayRead }: OwnershipState,
  ): AttachmentEffect[] {
    // A failover that lost the acquisition lets this node acquire the same epoch again: a deletion that was sent in
    // between would be executed under it.
    if (!mayRead) return [];
    const isOver = event.removedSeq <= acknowledged.seq && event.removedForMs >= this.#retentionMs;
    if (!isOver || content.state !== "idle" || content.users > 0) return [];
    content.state = "deleting";
    return [{ kind: "deleteContent", hash: event.hash, removedSeq: event.removedSeq }];
  }
}
