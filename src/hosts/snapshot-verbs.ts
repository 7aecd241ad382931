import type { SnapshotVerbs, VerbName } from "./verbs/verbs.ts";

/**
 * The verbs that read a snapshot of the file. The compiler checks the table against the definitions of the verbs: their
 * modules run in the worker threads and are not loaded in the main thread.
 */
const SNAPSHOT_VERBS: SnapshotVerbs = {
  "attachments.contents": true,
  "attachments.count": true,
  "attachments.find": true,
  "attachments.get": true,
  "attachments.list": true,
  "attachments.locations": true,
  "attachments.read": true,
  "attachments.store": true,
  "attachments.stored": true,
  "columns.list": true,
  "data.fetch": true,
  "document.file": true,
  "document.mayCopy": true,
  "document.mayReplace": true,
  "events.since": true,
  "export.delimited": true,
  "export.schema": true,
  "export.sheet": true,
  "export.workbook": true,
  "history.changes": true,
  "history.relate": true,
  "history.states": true,
  "idempotency.find": true,
  "record.get": true,
  "jobs.get": true,
  "jobs.list": true,
  "live.describe": true,
  "live.read": true,
  "document.search": true,
  "records.aggregate": true,
  "records.fetch": true,
  "records.list": true,
  "restore.plan": true,
  "rules.attributeUsers": true,
  "schema.read": true,
  "sql.open": true,
  "states.at": true,
  "states.compare": true,
  "states.describe": true,
  "states.list": true,
  "tables.list": true,
  "tables.rowLimits": true,
  "tables.types": true,
  "undo.plan": true,
  "webhooks.attempts": true,
  "webhooks.list": true,
  "webhooks.sample": true,
  "webhooks.sent": true,
};

/** Returns true for a verb that may run beside a change of the same document, on a read-only connection. */
export const readsSnapshot = (verb: VerbName): boolean => Object.hasOwn(SNAPSHOT_VERBS, verb);
