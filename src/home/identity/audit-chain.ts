/** The hash chain of the audit log: each entry's hash covers the hash of the entry before. No I/O. */
import { createHash } from "node:crypto";
import { sha256Hex } from "../../lib/ids.ts";

/** The fields of an entry that its hash covers. */
export interface ChainedFields {
  readonly number: number;
  readonly time: number;
  readonly event: string;
  readonly actorId: number | null;
  readonly actor: string | null;
  readonly keyId: number | null;
  readonly addressDigest: string | null;
  /** As stored: JSON. */
  readonly target: string;
  readonly details: string;
  readonly count: number;
}

/** A stored entry. */
export interface AuditRow extends ChainedFields {
  /** Null once it was dropped, together with the salt. */
  readonly address: string | null;
  readonly addressSalt: string | null;
  readonly hash: string;
}

/** An entry, or the checkpoint at the end of deleted ones. */
export interface ChainLink {
  readonly number: number;
  readonly hash: string;
}

/** The start of a log that was never pruned. */
export const CHAIN_START: ChainLink = { number: 0, hash: "0".repeat(64) };

/**
 * Returns the hash of an entry: SHA-256, in hex, of the hash of the entry before, a line feed, and the fields as a JSON
 * array.
 */
export function hashOfEntry(previousHash: string, entry: ChainedFields): string {
  const { number, time, event, actorId, actor, keyId, addressDigest, target, details, count } = entry;
  const fields = [number, time, event, actorId, actor, keyId, addressDigest, target, details, count];
  return createHash("sha256")
    .update(`${previousHash}\n${JSON.stringify(fields)}`)
    .digest("hex");
}

/**
 * Returns the digest of an address. The salt is random for each entry and deleted with the address: the few possible
 * addresses cannot be tried out afterwards.
 */
export const digestOfAddress = (salt: string, address: string): string => sha256Hex(`${salt}\n${address}`);

/** Verifies entries one after the other. */
export class ChainVerifier {
  #last: ChainLink;
  /** @param start the last checkpoint, or `CHAIN_START` */
  constructor(start: ChainLink) {
    this.#last = start;
  }

  /** The last valid entry, or the start. */
  get last(): ChainLink {
    return this.#last;
  }

  /** Returns whether the next entry continues the chain. Call it no more once it returned false. */
  accepts(entry: AuditRow): boolean {
    const isNext = entry.number > this.#last.number && entry.hash === hashOfEntry(this.#last.hash, entry);
    if (!isNext || !hasValidAddress(entry)) return false;
    this.#last = entry;
    return true;
  }
}

/** A dropped address leaves its digest only. */
const hasValidAddress = ({ address, addressSalt, addressDigest }: AuditRow): boolean =>
  address === null
    ? addressSalt === null
    : addressSalt !== null && addressDigest === digestOfAddress(addressSalt, address);
