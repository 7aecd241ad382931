import type { OpenDocument } from "../document.ts";
import { readHooks } from "../webhooks/hooks.ts";

/** A webhook that a change would call. */
export interface WebhookReport {
  readonly id: string;
  readonly name: string | null;
  /** Number of events. */
  readonly events: number;
}

const isStored = ({ schema }: OpenDocument): boolean => schema.stored.has("_quern_outbox");

/** Returns the highest id of the events that are queued. */
export const lastEventId = (document: OpenDocument): number =>
  isStored(document) ? Number(document.db.values("select coalesce(max(id), 0) from _quern_outbox")[0]?.[0] ?? 0) : 0;

/** Returns the webhooks with the events that were queued after one. */
export function queuedEvents(document: OpenDocument, after: number): WebhookReport[] {
  if (!isStored(document)) return [];
  const events = new Map<number, number>();
  for (const [hooks, rows] of document.db.values("select hooks, row_count from _quern_outbox where id > ?", after)) {
    for (const ref of String(hooks).split(",").map(Number)) events.set(ref, (events.get(ref) ?? 0) + Number(rows));
  }
  return readHooks(document).flatMap(({ ref, id, name }) => {
    const count = events.get(ref);
    return count === undefined ? [] : [{ id, name, events: count }];
  });
}
