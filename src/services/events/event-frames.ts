import type { ChangeFeedEntry } from "../../hosts/documents.ts";
import { isoTime } from "../../lib/time/clock.ts";

/** What goes over the wire of a stream of events: its texts, in the form that browsers read (server-sent events). */

/** Why a stream ends: what the caller may expect when he comes back. */
export type EndReason = "access" | "signedOut" | "removed" | "stopping" | "slow" | "trouble";

/** Why everything has to be read anew. */
export type ResetReason = "history" | "rules" | "access" | "replaced";

/** Somebody who did something, as those who work on the document with him may know him. */
export interface EventUser {
  readonly id: number | null;
  readonly email: string;
  readonly name: string | null;
}

/** For proxies and clients that give up silent connections. */
export const HEARTBEAT = ":\n\n";

const RETRY_MS = 2000;

/** How long to wait before coming back, not the same for all: after a restart they would come at once. */
export const retryFrame = (): string => `retry: ${Math.round(RETRY_MS * (1 + Math.random()))}\n\n`;

/** Says that all is told up to this state, and that what follows has just happened. */
export const readyFrame = (at: EventState): string => frame("ready", at, { action: at.action });

export const resetFrame = (at: EventState, reason: ResetReason): string =>
  frame("reset", at, { action: at.action, reason });

/** Without an id: whoever comes back does so where he was. */
export const endFrame = (reason: EndReason): string => `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;

/** Moves the id without an event: something happened that is not told to the caller. */
export const idFrame = ({ id }: EventState): string => `${idLine(id)}\n`;

/** @param user whoever did it, if the caller may know */
export function changeFrame(
  at: EventState,
  { count, time, schema, tables }: ChangeFeedEntry,
  user: EventUser | null,
): string {
  const { action } = at;
  const actions = action === undefined ? undefined : count;
  return frame("change", at, { action, actions, time: isoTime(time), user, schema, tables });
}

/** The state that an event led to. */
export interface EventState {
  readonly id: string;
  /** The number of the state; undefined for callers who may not know it. */
  readonly action: number | undefined;
}

const frame = (event: string, { id }: EventState, data: object): string =>
  `${idLine(id)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const idLine = (id: string): string => `id: ${id}\n`;
