import {
  AttachmentContents,
  type AttachmentEffect,
  type OwnershipState,
} from "../../src/cluster/protocol/attachment-contents.ts";
import type { Content } from "./content.ts";
import type { NodeProcess } from "./process.ts";
import type { Answer, Request } from "./requests.ts";
import { deleteBlob, type Owner, RETENTION_MS, storeBlob } from "./statements.ts";

export const HASHES = ["h0", "h1"] as const;

/** The open document that the attachments belong to. */
export interface AttachmentOwner {
  readonly owner: Owner;
  readonly ownership: OwnershipState;
  readonly content: Content;
  isOpen(): boolean;
  /** The content is stored: commit, or answer that it is refused. */
  commit(request: Request, hash: string): void;
  /** Close the document, so that it is opened under a new epoch. */
  close(): void;
}

/** Stores and deletes the contents of attachments of an open document. */
export class HostAttachments {
  readonly #process: NodeProcess;
  readonly #host: AttachmentOwner;
  #contents = new AttachmentContents(RETENTION_MS);
  #needing: { readonly request: Request; readonly hash: string }[] = [];
  readonly #removed = new Map<string, { readonly seq: number; readonly atMs: number }>();

  constructor(process: NodeProcess, host: AttachmentOwner) {
    this.#process = process;
    this.#host = host;
  }

  need(request: Request, hash: string): void {
    this.#needing.push({ request, hash });
    this.#handle({ kind: "needed", hash });
  }

  used(hash: string): void {
    this.#handle({ kind: "used", hash });
  }

  named(hash: string): void {
    this.#removed.delete(hash);
  }

  removed(hash: string, seq: number): void {
    this.#removed.set(hash, { seq, atMs: this.#process.world.scheduler.nowMs });
  }

  /** After a failover: what was stored may be lost. */
  identityChanged(): void {
    this.refuse();
    this.#contents = new AttachmentContents(RETENTION_MS);
  }

  refuse(): void {
    const needing = this.#needing;
    this.#needing = [];
    for (const { request } of needing) request.answer({ kind: "refused" });
  }

  /** Deletes contents that no row names, some time after the last one was removed. */
  sweep(): void {
    const { database, scheduler } = this.#process.world;
    const { content, owner } = this.#host;
    for (const hash of HASHES) {
      if (!this.#host.isOpen()) return;
      if (content.attachments.has(hash)) this.#removed.delete(hash);
      else if (database.get(`blob ${owner.document} ${hash}`)) {
        const removed = this.#removed.get(hash) ?? { seq: content.depth, atMs: scheduler.nowMs };
        this.#removed.set(hash, removed);
        const removedForMs = scheduler.nowMs - removed.atMs;
        this.#handle({ kind: "unreferenced", hash, removedSeq: removed.seq, removedForMs });
      }
    }
  }

  #handle(event: Parameters<AttachmentContents["handle"]>[0]): void {
    for (const effect of this.#contents.handle(event, this.#host.ownership)) this.#perform(effect);
  }

  #perform(effect: AttachmentEffect): void {
    const { hash } = effect;
    const { owner } = this.#host;
    switch (effect.kind) {
      case "store": {
        const done = this.#report(hash, "stored", "storeFailed");
        return this.#process.call(storeBlob(owner.document, hash), done);
      }
      case "deleteContent": {
        const statement = deleteBlob(owner, effect, this.#process.world.variant);
        const done = this.#report(hash, "deleted", "deleteUnknown");
        return this.#process.call(statement, done, { deadlineMs: 8000, isBackground: true });
      }
      case "ready": {
        const ready = this.#needing.filter((one) => one.hash === hash);
        this.#needing = this.#needing.filter((one) => one.hash !== hash);
        for (const { request } of ready) this.#host.commit(request, hash);
        return;
      }
      case "failed":
        return this.refuse();
      case "renewEpoch":
        this.refuse();
        this.#host.close();
    }
  }

  /** Reports an outcome, unless the document was closed or the database failed over meanwhile. */
  #report(hash: string, success: "stored" | "deleted", failure: "storeFailed" | "deleteUnknown") {
    const contents = this.#contents;
    return (result: Answer<boolean>) => {
      if (this.#host.isOpen() && contents === this.#contents) {
        this.#handle({ kind: result === true ? success : failure, hash });
      }
    };
  }
}
