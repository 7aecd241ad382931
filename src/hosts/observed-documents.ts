import type { Documents } from "./documents.ts";
import type { VerbName } from "./verbs/verbs.ts";

/** Verbs that change a document's content. */
export const CONTENT_WRITE_VERBS: ReadonlySet<VerbName> = new Set<VerbName>([
  "actions.apply",
  "attachments.add",
  "columns.add",
  "columns.convert",
  "columns.delete",
  "columns.modify",
  "columns.put",
  "data.add",
  "data.delete",
  "data.modify",
  "records.add",
  "records.delete",
  "records.modify",
  "records.upsert",
  "states.restore",
  "states.undo",
  "tables.add",
  "tables.import",
  "tables.modify",
]);

/** Verbs that change a document's metadata, which its metadata tables also show. */
export const METADATA_WRITE_VERBS: ReadonlySet<VerbName> = new Set<VerbName>([
  "attachments.chooseStore",
  "attachments.mark",
  "attachments.removeUnused",
  "webhooks.add",
  "webhooks.modify",
  "webhooks.remove",
]);

/** Receives notifications about changed documents. */
export interface DocumentObserver {
  onChanged(uuid: string, change: { readonly isContent: boolean }): void;
  onReplaced(uuid: string): void;
  onRemoved(uuid: string): void;
}

/** Wraps documents so that `observer` is notified after each successful call that changes one. */
export const observeDocuments = (documents: Documents, observer: DocumentObserver): Documents => ({
  ...documents,
  async call(grant, verb, args) {
    const result = await documents.call(grant, verb, args);
    const isContent = CONTENT_WRITE_VERBS.has(verb);
    if (isContent || METADATA_WRITE_VERBS.has(verb)) observer.onChanged(grant.uuid, { isContent });
    return result;
  },
  async replace(...args) {
    const stored = await documents.replace(...args);
    const [{ uuid }] = args;
    observer.onReplaced(uuid);
    return stored;
  },
  async restoreContent(...args) {
    await documents.restoreContent(...args);
    const [{ uuid }] = args;
    observer.onReplaced(uuid);
  },
  async reload(grant) {
    await documents.reload(grant);
    // The file may have been replaced.
    observer.onChanged(grant.uuid, { isContent: false });
  },
  async remove(uuid) {
    observer.onRemoved(uuid);
    await documents.remove(uuid);
  },
});
