/**
 * Shapes of the replicated log that all machines share. The machines in this folder have no clock, timer, randomness or
 * I/O: everything arrives as an event or an argument, so that the simulator runs exactly the code of production.
 */

/** Durations of the protocol, in milliseconds. They are part of the guarantees, not settings. */
export const LEASE_MS = 3000;
export const RENEWAL_INTERVAL_MS = 1000;
/** After a renewal with an unknown outcome. */
export const RENEWAL_RETRY_MS = 200;
/** Reads stop this long before the lease ends: allows for clocks that run at slightly different speeds. */
export const LEASE_MARGIN_MS = 500;
export const TICK_MS = 100;
/** A longer gap between ticks, or between two clocks, means that the process or the machine was suspended. */
export const MAX_GAP_MS = 1000;
/** A new base is published after this much log. */
export const BASE_INTERVAL_BYTES = 16 * 1024 * 1024;
/** Limits one append statement; the rows after it go into the next one. */
export const MAX_APPEND_BYTES = 8 * 1024 * 1024;

/** Identifies a PostgreSQL database and its history. A failover or a restored backup changes the timeline. */
export interface DatabaseIdentity {
  /** Of the PostgreSQL installation; text, since it has 64 bits. */
  readonly systemIdentifier: string;
  /** Rises when a standby is promoted. */
  readonly timeline: number;
  /** Renewed by `quern cluster recover`. */
  readonly historyId: string;
}

export const sameIdentity = (a: DatabaseIdentity, b: DatabaseIdentity): boolean =>
  a.systemIdentifier === b.systemIdentifier && a.timeline === b.timeline && a.historyId === b.historyId;

/** Identifies a content of a document: the row of `_quern_commit`. The epoch here is not the ownership epoch. */
export interface ContentCount {
  readonly epoch: string;
  readonly seq: number;
}

/**
 * One position of a log. `checksum` is chained: SHA-256 of the previous checksum, ownership epoch, seq, content epoch
 * and content (empty for a commit that only a base holds). Equal checksums at one seq mean equal histories up to it.
 */
export interface LogPosition {
  readonly seq: number;
  /** Hexadecimal. */
  readonly checksum: string;
}

/** The position of a new document: head 0, without any row. */
export const LOG_START: LogPosition = { seq: 0, checksum: "" };

/** The position that a node knows to be in the log, with the ownership epoch under which it was acknowledged. */
export interface Acknowledged extends LogPosition {
  readonly epoch: number;
}

/** What the log holds at a given seq: a row or a base, nothing because it was pruned, or nothing because it was never written. */
export type LogEntry =
  | { readonly kind: "found"; readonly checksum: string; readonly contentEpoch: string }
  | { readonly kind: "pruned" }
  | { readonly kind: "absent" };

/** The row of `doc_owner`, read together with the entries at two positions, in one REPEATABLE READ transaction. */
export interface LogHead {
  /** Ownership epoch. */
  readonly epoch: number;
  /** Id of the owner; null when the document was released. */
  readonly node: string | null;
  /** Seq of the last append. */
  readonly head: number;
  /** Chained checksum at `head`; null when neither a row nor a base has that seq: head 0, or a damaged log. */
  readonly checksum: string | null;
  /** The entry at the position that the reader knows as acknowledged. */
  readonly atAcknowledged: LogEntry;
}
