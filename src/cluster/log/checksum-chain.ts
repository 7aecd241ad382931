import { createHash } from "node:crypto";

/** What the checksum of a position is about, besides the position before it. */
export interface ChainedContent {
  /** Ownership epoch. */
  readonly epoch: number;
  readonly seq: number;
  readonly contentEpoch: string;
  /** The row's content; null for a commit that only a base holds. */
  readonly bytes: Uint8Array | null;
}

/**
 * Returns the checksum of a position as hexadecimal text: SHA-256 of the previous checksum, the ownership epoch, the seq,
 * the content epoch and the content. Equal checksums mean equal histories of the document.
 */
export const chainedChecksum = (previous: string, { epoch, seq, contentEpoch, bytes }: ChainedContent): string =>
  createHash("sha256")
    .update(`${previous}\n${epoch}\n${seq}\n${contentEpoch}\n`)
    .update(bytes ?? "")
    .digest("hex");
