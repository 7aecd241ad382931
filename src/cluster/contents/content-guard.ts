import { noLease } from "../log/refusals.ts";
import {
  AttachmentContents,
  type AttachmentEffect,
  type AttachmentEvent,
  type OwnershipState,
} from "../protocol/attachment-contents.ts";

export interface ContentGuardOptions {
  readonly retentionMs: number;
  readonly state: () => OwnershipState;
  /**
   * Deletes a content in one fenced statement that leaves contents that were stored again. Resolves to true if it
   * returned its row, to false if PostgreSQL answered that there was none to delete.
   * @throws if its outcome is unknown: it may still be executed
   */
  readonly deleteContent: (hash: string) => Promise<boolean>;
  /** Gives the document up, so that it is acquired under a new epoch. */
  readonly renewEpoch: () => void;
}

interface Waiting {
  readonly upload: () => Promise<void>;
  readonly stored: PromiseWithResolvers<void>;
}

/** Keeps one document under one epoch from storing and deleting the same content at the same time. */
export class ContentGuard {
  readonly #options: ContentGuardOptions;
  readonly #contents: AttachmentContents;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #deletions = new Map<string, PromiseWithResolvers<boolean>>();

  constructor(options: ContentGuardOptions) {
    this.#options = options;
    this.#contents = new AttachmentContents(options.retentionMs);
  }

  /**
   * Stores a content once for all concurrent callers.
   * @param upload stores it unless the log has it
   * @throws AppError `log.unavailable`, and errors of `upload`
   */
  async store(hash: string, upload: () => Promise<void>): Promise<void> {
    const stored = Promise.withResolvers<void>();
    this.#waiting.set(hash, [...(this.#waiting.get(hash) ?? []), { upload, stored }]);
    this.#handle({ kind: "needed", hash });
    await stored.promise;
    // A content that was stored again is not deleted before it is marked and the retention has passed once more.
    this.#handle({ kind: "used", hash });
  }

  /** Deletes a content that no commit refers to, if it may be deleted. Returns true if it was. */
  async deleteUnreferenced(content: {
    readonly hash: string;
    readonly removedSeq: number;
    readonly removedForMs: number;
  }): Promise<boolean> {
    const deletion = Promise.withResolvers<boolean>();
    this.#deletions.set(content.hash, deletion);
    const isStarted = this.#handle({ kind: "unreferenced", ...content });
    if (!isStarted) deletion.resolve(false);
    const isDeleted = await deletion.promise;
    this.#deletions.delete(content.hash);
    return isDeleted;
  }

  /** Returns true if the event had effects. */
  #handle(event: AttachmentEvent, error?: unknown): boolean {
    const effects = this.#contents.handle(event, this.#options.state());
    for (const effect of effects) this.#apply(effect, error);
    return effects.length > 0;
  }

  #apply({ kind, hash }: AttachmentEffect, error: unknown): void {
    switch (kind) {
      case "store":
        void this.#store(hash);
        return;
      case "deleteContent":
        void this.#delete(hash);
        return;
      case "ready":
        for (const { stored } of this.#take(hash)) stored.resolve();
        return;
      case "failed":
        for (const { stored } of this.#take(hash)) stored.reject(error);
        return;
      case "renewEpoch":
        for (const { stored } of this.#take(hash)) stored.reject(noLease());
        this.#options.renewEpoch();
    }
  }

  async #store(hash: string): Promise<void> {
    try {
      for (const { upload } of (this.#waiting.get(hash) ?? []).slice(0, 1)) await upload();
    } catch (error) {
      this.#handle({ kind: "storeFailed", hash }, error);
      return;
    }
    this.#handle({ kind: "stored", hash });
  }

  async #delete(hash: string): Promise<void> {
    const isDeleted = await this.#options.deleteContent(hash).catch(() => null);
    this.#handle({ kind: isDeleted === null ? "deleteUnknown" : "deleted", hash });
    this.#deletions.get(hash)?.resolve(isDeleted === true);
  }

  #take(hash: string): readonly Waiting[] {
    const waiting = this.#waiting.get(hash) ?? [];
    this.#waiting.delete(hash);
    return waiting;
  }
}
