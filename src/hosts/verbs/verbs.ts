import type { Verb } from "./verb.ts";
import { aggregateVerbs } from "./aggregate.ts";
import { attachmentVerbs } from "./attachments.ts";
import { batchVerbs } from "./batch.ts";
import { documentFileVerbs } from "./document-file.ts";
import { deliveryVerbs } from "./deliveries.ts";
import { dryRunVerbs } from "./dry-run.ts";
import { exportVerbs } from "./exports.ts";
import { formVerbs } from "./forms.ts";
import { formulaVerbs } from "./formulas.ts";
import { historyVerbs } from "./history.ts";
import { idempotencyVerbs } from "./idempotency.ts";
import { importVerbs } from "./imports.ts";
import { oneRecordVerbs } from "./one-record.ts";
import { jobVerbs } from "./jobs.ts";
import { liveVerbs } from "./live/live.ts";
import { changeSizeVerbs, matchingChangeVerbs } from "./matching-changes.ts";
import { queryVerbs } from "./queries.ts";
import { readVerbs } from "./reads.ts";
import { restoreVerbs } from "./undo/restore-cells.ts";
import { undoVerbs } from "./undo/undo-changes.ts";
import { schemaFileVerbs } from "./schema-file/schema-file.ts";
import { searchVerbs } from "./search.ts";
import { usageVerbs } from "./usage.ts";
import { webhookVerbs } from "./webhooks.ts";
import { writeVerbs } from "./writes.ts";

/** Records can be written, and tables and columns changed, in a dry run. */
const { "record.modify": modifyRecord, "record.delete": deleteRecord } = oneRecordVerbs;
const { "columns.previewConversion": _, ...changes } = writeVerbs;
const dryRunnable = {
  ...changes,
  ...batchVerbs,
  ...matchingChangeVerbs,
  "record.modify": modifyRecord,
  "record.delete": deleteRecord,
};

/** All operations on documents, by name. */
export const verbs = {
  ...readVerbs,
  ...oneRecordVerbs,
  ...aggregateVerbs,
  ...searchVerbs,
  ...schemaFileVerbs,
  ...writeVerbs,
  ...batchVerbs,
  ...matchingChangeVerbs,
  ...changeSizeVerbs,
  ...historyVerbs,
  ...undoVerbs,
  ...restoreVerbs,
  ...formulaVerbs,
  ...formVerbs,
  ...queryVerbs,
  ...exportVerbs,
  ...documentFileVerbs,
  ...importVerbs,
  ...attachmentVerbs,
  ...webhookVerbs,
  ...deliveryVerbs,
  ...jobVerbs,
  ...liveVerbs,
  ...usageVerbs,
  ...dryRunVerbs(dryRunnable),
  ...idempotencyVerbs,
};

export type VerbName = keyof typeof verbs;
/** The arguments of a verb; they survive structured cloning. */
export type VerbArgs<V extends VerbName> = (typeof verbs)[V] extends Verb<infer A, infer _> ? A : never;
/** The result of a verb; it survives structured cloning. */
export type VerbResult<V extends VerbName> = (typeof verbs)[V] extends Verb<infer _, infer R> ? R : never;

type SourceOf<V extends VerbName> =
  (typeof verbs)[V] extends Verb<infer _A, infer _R, infer _C, infer Source> ? Source : never;

/** Verbs that read a snapshot of the file, as their definitions declare. */
export type SnapshotVerbs = { readonly [V in VerbName as SourceOf<V> extends "snapshot" ? V : never]: true };

type ChangeOf<V extends VerbName> = (typeof verbs)[V] extends Verb<infer _A, infer _R, infer Change> ? Change : never;

/** Verbs that change what readers can see, each with the kind of change that its definition declares. */
export type ChangingVerbs = {
  readonly [V in VerbName as ChangeOf<V> extends "none" ? never : V]: ChangeOf<V>;
};
