import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { ChangeFeedPosition } from "../../hosts/documents.ts";

/**
 * Ids of events, with which streams resume: the number and hash of a state, `42-9f8e7d6c`. If access rules hide
 * anything from the subscriber, the id is encrypted, `~…`: the number would reveal how many hidden changes there were,
 * and the hash would allow to verify guesses.
 */

/** Encrypted ids do not survive a restart; a client that resumes with one then gets a `reset`. */
const KEY = randomBytes(32);
const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Longer than any state, so that all ids have the same length. */
const PADDED_LENGTH = 32;

/** The content of an event id from a client. */
export type EventPosition = Omit<ChangeFeedPosition, "mark">;

/** A number that no state has: it cannot be resumed from. */
const UNKNOWN_POSITION: EventPosition = { n: Number.MAX_SAFE_INTEGER, h: null, seesEverything: null };

export function formatEventId(uuid: string, { n, h, seesEverything }: EventPosition): string {
  const text = `${n}-${h ?? ""}`;
  return seesEverything === false ? `~${encrypt(uuid, text.padEnd(PADDED_LENGTH))}` : text;
}

export function parseEventId(uuid: string, id: string): EventPosition {
  const isEncrypted = id.startsWith("~");
  const text = isEncrypted ? decrypt(uuid, id.slice(1)) : id;
  if (text === null) return UNKNOWN_POSITION;
  const [n, h = ""] = text.trim().split("-");
  return { n: Number(n), h: h === "" ? null : h, seesEverything: isEncrypted ? false : null };
}

/** Valid only for the document that it was created for. */
function encrypt(uuid: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, KEY, iv).setAAD(Buffer.from(uuid));
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

/** Returns null for texts not encrypted by this process for this document. */
function decrypt(uuid: string, encrypted: string): string | null {
  const bytes = Buffer.from(encrypted, "base64url");
  if (bytes.length !== IV_BYTES + PADDED_LENGTH + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, KEY, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(uuid));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)).toString() + decipher.final().toString();
  } catch {
    return null;
  }
}
