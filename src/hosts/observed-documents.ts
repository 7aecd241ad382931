import type { Documents } from "./documents.ts";
import type { KeyedOutcome } from "./keyed-call.ts";
import type { VerbChange } from "./verbs/verb.ts";
import type { ChangingVerbs, VerbName } from "./verbs/verbs.ts";

/**
 * The `changes` of the verbs that change what readers can see. The compiler checks the table against the definitions of
 * the verbs: their modules run in the worker threads and are not loaded in the main thread.
 */
const CHANGES: ChangingVerbs = {
  "actions.apply": "content",
  "attachments.add": "content",
  "attachments.chooseStore": "metadata",
  "attachments.mark": "metadata",
  "attachments.removeUnused": "metadata",
  "columns.add": "content",
  "columns.convert": "content",
  "columns.delete": "content",
  "columns.modify": "content",
  "columns.put": "content",
  "data.add": "content",
  "data.delete": "content",
  "data.modify": "content",
  "forms.answer": "content",
  "queries.add": "metadata",
  "queries.modify": "metadata",
  "queries.remove": "metadata",
  "record.delete": "content",
  "record.modify": "content",
  "jobs.step": "content",
  "records.add": "content",
  "records.batch": "content",
  "records.change": "content",
  "records.delete": "content",
  "records.modify": "content",
  "records.upsert": "content",
  "restore.apply": "content",
  "schema.apply": "content",
  "states.restore": "content",
  "states.undo": "content",
  "undo.apply": "content",
  "tables.add": "content",
  "tables.delete": "content",
  "tables.import": "content",
  "tables.modify": "content",
  "webhooks.add": "metadata",
  "webhooks.modify": "metadata",
  "webhooks.remove": "metadata",
};

/** Returns what a verb changes for readers. */
export const changeOf = (verb: VerbName): VerbChange =>
  Object.hasOwn(CHANGES, verb) ? CHANGES[verb as keyof ChangingVerbs] : "none";

/** True for the outcome of a call with a request key that changed nothing: a refusal, or an answer that is repeated. */
const isUnchanged = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "isKeyedOutcome" in result && (result as KeyedOutcome).kept !== null;

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
    const change = changeOf(verb);
    if (change !== "none" && !isUnchanged(result)) observer.onChanged(grant.uuid, { isContent: change === "content" });
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
