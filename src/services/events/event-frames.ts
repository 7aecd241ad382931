import type { ChangeFeedEntry } from "../../hosts/documents.ts";
import { isoTime } from "../../lib/time/clock.ts";

/** The frames of event streams, in the format of server-sent events. */

/** Why a stream ends, and so whether reconnecting makes sense. */
export type EndReason = "access" | "signedOut" | "removed" | "stopping" | "slow" | "trouble";

/** Why the document must be reloaded. */
export type ResetReason = "history" | "rules" | "access" | "replaced";

/** A user who changed the document, as shown to its collaborators. */
export interface EventUser {
  readonly id: number | null;
  readonly email: string;
  readonly name: string | null;
}

/** For proxies and clients that close idle connections. */
export const HEARTBEAT = ":\n\n";

const RETRY_MS = 2000;

/** Reconnection delay, with jitter: after a restart, all clients would otherwise reconnect at once. */
export const retryFrame = (): string => `retry: ${Math.round(RETRY_MS * (1 + Math.random()))}\n\n`;

/** States that the stream has caught up with this state, and that later events are live. */
export const readyFrame = (at: EventState): string => frame("ready", at, { action: at.action });

export const resetFrame = (at: EventState, reason: ResetReason): string =>
  frame("reset", at, { action: at.action, reason });

/** Without an id, so that the client resumes at its position. */
export const endFrame = (reason: EndReason): string => `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;

/** Advances the id without an event, for changes that are hidden from the subscriber. */
export const idFrame = ({ id }: EventState): string => `${idLine(id)}\n`;

/** @param user the author of the change, if the subscriber may know them */
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
  /** The number of the state; undefined for subscribers that may not know it. */
  readonly action: number | undefined;
}

const frame = (event: string, { id }: EventState, data: object): string =>
  `${idLine(id)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const idLine = (id: string): string => `id: ${id}\n`;
