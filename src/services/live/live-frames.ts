/** The frames of live queries, in the format of server-sent events, as bytes that all subscribers of a group share. */
import type { LiveReset } from "../../hosts/documents.ts";

/** Why the whole result is sent. */
export type LiveResetReason = LiveReset | "start" | "replaced" | "access" | "slow";

/** Why a stream ends, and so whether reconnecting makes sense. */
export type ClosedReason = "access" | "signedOut" | "removed" | "stopping" | "slow" | "trouble" | "query" | "tooLarge";

const encoder = new TextEncoder();
const END = encoder.encode("\n\n");
const END_OF_OBJECT = encoder.encode("}\n\n");

export const changeFrame = (id: string, data: Uint8Array): Uint8Array => {
  const start = encoder.encode(head(id, "change"));
  const bytes = new Uint8Array(start.length + data.length + END.length);
  bytes.set(start);
  bytes.set(data, start.length);
  bytes.set(END, start.length + data.length);
  return bytes;
};

/** What comes before and after the JSON of the list of all records, which is not copied. */
export const resetFrame = (id: string, reason: LiveResetReason): { start: Uint8Array; end: Uint8Array } => ({
  start: encoder.encode(`${head(id, "reset")}{"reason":${JSON.stringify(reason)},"records":`),
  end: END_OF_OBJECT,
});

export const currentFrame = (id: string): Uint8Array => encoder.encode(`${head(id, "current")}{}\n\n`);

/** Advances the id without an event, for changes that do not concern the result. */
export const idFrame = (id: string): Uint8Array => encoder.encode(`id: ${id}\n\n`);

/** Without an id, so that the client resumes at its position. */
export const closedFrame = (reason: ClosedReason): Uint8Array =>
  encoder.encode(`event: closed\ndata: ${JSON.stringify({ reason })}\n\n`);

/** Reconnection delay, with jitter: after a restart, all clients would otherwise reconnect at once. */
export const retryFrame = (): Uint8Array => encoder.encode(`retry: ${Math.round(RETRY_MS * (1 + Math.random()))}\n\n`);

const RETRY_MS = 2000;

/** For proxies and clients that close idle connections. */
export const HEARTBEAT = encoder.encode(":\n\n");

const head = (id: string, event: string): string => `id: ${id}\nevent: ${event}\ndata: `;
