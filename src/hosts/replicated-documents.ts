import type { AppError } from "../errors.ts";
import { type DocumentOwnership, whenOwned } from "./document-runtime.ts";
import type { Documents } from "./documents.ts";
import { readsSnapshot } from "./snapshot-verbs.ts";

/** The documents of a replicated log. */
export interface ReplicatedOwnership extends DocumentOwnership {
  /** Why a document accepts no changes now; null if it does. */
  refusalOfChanges(uuid: string): AppError | null;
  /** Marks a document as deleted in the log. */
  remove(uuid: string): Promise<void>;
}

/** Wraps documents so that changes are refused while they could not be acknowledged, and deletions are in the log. */
export const replicateDocuments = (documents: Documents, ownership: ReplicatedOwnership): Documents => ({
  ...documents,
  async call(grant, verb, args) {
    await whenOwned(ownership, grant.uuid);
    const refusal = readsSnapshot(verb) ? null : ownership.refusalOfChanges(grant.uuid);
    if (refusal) throw refusal;
    return documents.call(grant, verb, args);
  },
  async callAt(grant, at, call) {
    await whenOwned(ownership, grant.uuid);
    return documents.callAt(grant, at, call);
  },
  async withFileAt(grant, at, use) {
    await whenOwned(ownership, grant.uuid);
    return documents.withFileAt(grant, at, use);
  },
  async replace(grant, source, options) {
    await whenOwned(ownership, grant.uuid);
    return documents.replace(grant, source, options);
  },
  async keepContent(grant, pathOf) {
    await whenOwned(ownership, grant.uuid);
    return documents.keepContent(grant, pathOf);
  },
  async restoreContent(grant, file, options) {
    await whenOwned(ownership, grant.uuid);
    await documents.restoreContent(grant, file, options);
  },
  async reload(grant) {
    await whenOwned(ownership, grant.uuid);
    await documents.reload(grant);
  },
  async remove(uuid) {
    await ownership.remove(uuid);
    await documents.remove(uuid);
  },
});
