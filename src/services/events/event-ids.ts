import { randomBytes } from "node:crypto";
import type { ChangeFeedPosition } from "../../hosts/documents.ts";
import { openSealedText, sealText } from "../../lib/sealed-text.ts";

/**
 * Ids of events, with which streams resume: the number and hash of a state, `42-9f8e7d6c`. If access rules hide
 * anything from the subscriber, the id is encrypted, `~…`: the number would reveal how many hidden changes there were,
 * and the hash would allow to verify guesses.
 */

/** Encrypted ids are valid for their document only, and do not survive a restart; a client that resumes with one then gets a `reset`. */
const KEY = randomBytes(32);
/** Longer than any state, so that all ids have the same length. */
const PADDED_LENGTH = 32;

/** The content of an event id from a client. */
export type EventPosition = Omit<ChangeFeedPosition, "mark">;

/** A number that no state has: it cannot be resumed from. */
const UNKNOWN_POSITION: EventPosition = { n: Number.MAX_SAFE_INTEGER, h: null, seesEverything: null };

export function formatEventId(uuid: string, { n, h, seesEverything }: EventPosition): string {
  const text = `${n}-${h ?? ""}`;
  return seesEverything === false ? `~${sealText(text.padEnd(PADDED_LENGTH), { key: KEY, purpose: uuid })}` : text;
}

export function parseEventId(uuid: string, id: string): EventPosition {
  const isEncrypted = id.startsWith("~");
  const text = isEncrypted ? openSealedText(id.slice(1), { key: KEY, purpose: uuid }) : id;
  if (text === null) return UNKNOWN_POSITION;
  const [n, h = ""] = text.trim().split("-");
  return { n: Number(n), h: h === "" ? null : h, seesEverything: isEncrypted ? false : null };
}
