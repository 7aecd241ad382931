/** Small facts for the home database that no request waits for. */
import type { KeyUse } from "../home/api-keys.ts";
import type { Home } from "../home/home.ts";
import type { NewAuditEntry } from "../home/identity/audit-log.ts";
import type { ShareLink } from "../home/share-keys.ts";
import { enqueueWebhookFailing, type FailingWebhook } from "./email/enqueue.ts";

/** Pairs, so that they can be sent to another server as JSON. */
export interface Notes {
  /** Ids of keys, with time and network address of their last use, and how often they were used since the last note. */
  readonly keyUses?: readonly KeyUse[];
  /** Hashes of sessions, with their new expiry time. */
  readonly sessions?: readonly (readonly [hash: string, expiresAt: number])[];
  /** UUIDs of documents, with the time of their last change. */
  readonly changes?: readonly (readonly [uuid: string, time: number])[];
  /** When users opened documents. */
  readonly visits?: readonly (readonly [userId: number, uuid: string, openedAt: number])[];
  /** Entries of the audit log. */
  readonly audit?: readonly NewAuditEntry[];
  /** Webhooks that have failed for a day, for email to the owners of their documents. */
  readonly failingWebhooks?: readonly FailingWebhook[];
  /** UUIDs of documents with the links of all their shares: they get keys, and other keys are removed. */
  readonly shareKeys?: readonly (readonly [uuid: string, links: readonly ShareLink[]])[];
}

/** Like `WriteNotes`; resolves when the notes are written, and throws if they may not be. */
export type DeliverNotes = (notes: Notes) => Promise<void>;

/**
 * Writes notes, or passes them on to the server that does.
 * @throws AppError `unavailable` when another process locks the home database: try again
 */
export type WriteNotes = (notes: Notes) => void;

/** Writes notes into the home database. Ignores keys, sessions and documents that no longer exist. */
export function writeNotes(
  home: Home,
  { keyUses = [], sessions = [], changes = [], visits = [], audit = [], failingWebhooks = [], shareKeys = [] }: Notes,
): void {
  home.transaction(() => {
    if (keyUses.length > 0) home.keys.recordUses(keyUses);
    for (const [hash, expiresAt] of sessions) home.sessions.extend(hash, expiresAt);
    for (const [uuid, time] of changes) home.documents.recordChange(uuid, time);
    home.visits.record(visits.map(([userId, uuid, openedAt]) => ({ userId, uuid, openedAt })));
    if (audit.length > 0) home.audit.append(audit);
    for (const failing of failingWebhooks) enqueueWebhookFailing(home, failing);
    for (const [uuid, links] of shareKeys) home.shareKeys.keepOnly(uuid, links);
  });
}
