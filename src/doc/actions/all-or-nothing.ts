import { invalidateCalculation } from "../formulas/calculation-cache.ts";
import type { OpenDocument } from "../document.ts";
import { invalidateOutbox } from "../webhooks/outbox.ts";
import { clearLastPositions } from "./change.ts";

/**
 * Runs work that contains complete changes in one transaction, or in a savepoint of the current one. If it throws, the
 * changes are rolled back, and what memory holds of them is dropped.
 */
export function allOrNothing<T>(document: OpenDocument, work: () => T): T {
  try {
    return document.db.transaction(work);
  } catch (error) {
    dropCachedState(document);
    throw error;
  }
}

/** Drops what memory holds of a document's content. Call after the rollback of complete changes. */
export function dropCachedState(document: OpenDocument): void {
  clearLastPositions(document.db);
  invalidateCalculation(document.db);
  invalidateOutbox(document);
  document.onChanged({ schema: true });
}
