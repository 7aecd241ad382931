import type { Told, ToldChange } from "../hosts/documents.ts";
import { isoTime } from "../lib/clock.ts";

/** What goes over the wire of a stream of events: its texts, in the form that browsers read (server-sent events). */

/** Why a stream ends: what the caller may expect when he comes back. */
export type EndReason = "access" | "signedOut" | "removed" | "stopping" | "slow" | "trouble";

/** Why everything has to be read anew. */
export type ResetReason = "history" | "rules" | "access" | "replaced";

/** Somebody who did something, as those who work on the document with him may know him. */
export interface ShownUser {
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
export const readyFrame = (place: Told["place"]): string => frame("ready", place, { action: place.n });

export const resetFrame = (place: Told["place"], reason: ResetReason): string =>
  frame("reset", place, { action: place.n, reason });

/** Without an id: whoever comes back does so where he was. */
export const endFrame = (reason: EndReason): string => `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;

/** Moves the id without an event: something happened that is not told to the caller. */
export const idFrame = (place: Told["place"]): string => `${idLine(place)}\n`;

/** @param user whoever did it, if the caller may know */
export function changeFrame(change: ToldChange, user: ShownUser | null): string {
  const { n, count, time, schema, tables } = change;
  return frame("change", change, { action: n, actions: count, time: isoTime(time), user, schema, tables });
}

interface State {
  readonly n: number;
  readonly h: string;
}

const frame = (event: string, state: State, data: object): string =>
  `${idLine(state)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** What a stream is given to go on from a state. */
export const eventIdOf = ({ n, h }: State): string => `${n}-${h}`;

const idLine = (state: State): string => `id: ${eventIdOf(state)}\n`;
