import type { Documents } from "./documents.ts";
import type { VerbName } from "./verbs.ts";

/** The verbs that change what a document holds. */
export const CONTENT_WRITERS: ReadonlySet<VerbName> = new Set<VerbName>([
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

/** The verbs that change what it says about itself, which its tables of metadata show as well. */
export const OTHER_WRITERS: ReadonlySet<VerbName> = new Set<VerbName>([
  "attachments.chooseStore",
  "attachments.mark",
  "attachments.removeUnused",
  "webhooks.add",
  "webhooks.modify",
  "webhooks.remove",
]);

/** Who wants to know what happened to documents. */
export interface Watcher {
  changed(uuid: string, change: { readonly isContent: boolean }): void;
  replaced(uuid: string): void;
  removed(uuid: string): void;
}

/** The same documents; the watcher is told of whatever goes through this door and changes one, when it is done. */
export const watchedDocuments = (documents: Documents, watcher: Watcher): Documents => ({
  ...documents,
  async call(grant, verb, args) {
    const result = await documents.call(grant, verb, args);
    const isContent = CONTENT_WRITERS.has(verb);
    if (isContent || OTHER_WRITERS.has(verb)) watcher.changed(grant.uuid, { isContent });
    return result;
  },
  async replace(...args) {
    const stored = await documents.replace(...args);
    const [{ uuid }] = args;
    watcher.replaced(uuid);
    return stored;
  },
  async putBack(...args) {
    await documents.putBack(...args);
    const [{ uuid }] = args;
    watcher.replaced(uuid);
  },
  async reload(grant) {
    await documents.reload(grant);
    // Its file may be another one.
    watcher.changed(grant.uuid, { isContent: false });
  },
  async remove(uuid) {
    watcher.removed(uuid);
    await documents.remove(uuid);
  },
});
