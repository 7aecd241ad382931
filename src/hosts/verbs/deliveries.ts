import type { DocumentGrant } from "../../authorization.ts";
import type { OpenDocument } from "../../doc/document.ts";
import type { Attempt } from "../../doc/webhooks/attempts.ts";
import type { EntryKind } from "../../doc/webhooks/create-entries.ts";
import { type DueBatches, findOutbox, invalidateOutbox } from "../../doc/webhooks/outbox.ts";
import { samplePayload } from "../../doc/webhooks/sample-payload.ts";
import type { Outcome, Retry } from "../../doc/webhooks/delivery-stats.ts";
import { notFound } from "../../errors.ts";
import { verb } from "./verb.ts";
import { findHook, activeHooks } from "./webhooks.ts";

export type { Attempt } from "../../doc/webhooks/attempts.ts";
export type { Batch, DueBatches } from "../../doc/webhooks/outbox.ts";
export type { Outcome, Retry } from "../../doc/webhooks/delivery-stats.ts";

interface DueBatchesArgs {
  /** Webhooks with a delivery in flight. */
  readonly busy: readonly string[];
}

interface RecordOutcomeArgs {
  readonly hook: string;
  readonly batch: string;
  readonly outcome: Outcome;
  /** When to retry; null after a success. */
  readonly retry: Retry | null;
}

/** A past delivery. */
export interface SentDelivery {
  readonly attempt: Attempt;
  readonly batch: string;
  readonly kind: EntryKind;
  readonly body: string;
}

/** Verbs for delivering webhook events. */
export const deliveryVerbs = {
  "webhooks.due": verb({ needs: "owners", changes: "none", run: listDueBatches }),
  "webhooks.recordOutcome": verb({ needs: "owners", changes: "none", run: recordOutcome }),
  "webhooks.attempts": verb({ needs: "owners", reads: "snapshot", changes: "none", run: listAttempts }),
  "webhooks.sent": verb({ needs: "owners", reads: "snapshot", changes: "none", run: findSentDelivery }),
  /** A sample event of the webhook's table, as JSON. */
  "webhooks.sample": verb({
    needs: "owners",
    reads: "snapshot",
    changes: "none",
    run: (document, _grant, { id }: { readonly id: string }) => samplePayload(document, findHook(document, id)),
  }),
};

function listDueBatches(document: OpenDocument, _grant: DocumentGrant, { busy }: DueBatchesArgs): DueBatches {
  const outbox = findOutbox(document);
  if (!outbox) return { batches: [], nextAt: null, waitingEvents: 0 };
  const hooks = activeHooks(document);
  outbox.clearRemovedHooks(hooks);
  return outbox.dueBatches(hooks, { nowMs: document.clock.now(), busy: new Set(busy) });
}

/** Returns whether the webhook and the delivered batch still exist. */
function recordOutcome(
  document: OpenDocument,
  _grant: DocumentGrant,
  { hook: id, ...delivery }: RecordOutcomeArgs,
): boolean {
  const hook = activeHooks(document).find((candidate) => candidate.id === id);
  if (!hook) return false;
  try {
    return findOutbox(document)?.recordOutcome(hook, delivery) ?? false;
  } catch (error) {
    invalidateOutbox(document);
    throw error;
  }
}

/** Newest first. @throws AppError `notFound` */
function listAttempts(
  document: OpenDocument,
  _grant: DocumentGrant,
  { id }: { readonly id: string },
): readonly Attempt[] {
  const { ref } = findHook(document, id);
  return findOutbox(document)?.attemptsOf(ref) ?? [];
}

/** Returns a past delivery by its attempt. @throws AppError `notFound` */
function findSentDelivery(
  document: OpenDocument,
  _grant: DocumentGrant,
  { id, attempt }: { readonly id: string; readonly attempt: number },
): SentDelivery {
  const { ref } = findHook(document, id);
  const outbox = findOutbox(document);
  const found = outbox?.attemptsOf(ref).find((candidate) => candidate.id === attempt);
  if (!outbox || !found) throw notFound("Delivery not found", "delivery.not_found");
  return { attempt: found, batch: found.batch, ...outbox.contentOf(found) };
}
